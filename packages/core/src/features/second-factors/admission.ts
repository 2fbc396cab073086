import type { AuthMethod } from "../../account/proof.js"
import { countFactors } from "../../account/session-proofs.js"

/** A second factor that a user can set up. */
export type FactorKind = "totp" | "passkey" | "recovery"

/** What decides whether a proven sign-in may start a session. */
export interface AdmissionFacts {
  readonly achieved: readonly AuthMethod[]
  /** The second factors of the user. */
  readonly enrolled: readonly FactorKind[]
  /** Whether the host demands a second factor of this user. */
  readonly isDemanded: boolean
  /** Whether the user has something else that proves a factor which the sign-in lacks, such as a passkey. */
  readonly hasUnproved: boolean
  /** Whether the user passed a second factor on this device before, and asked to be remembered. */
  readonly isDeviceRemembered: boolean
}

/** What a sign-in waits for. */
export type HoldStep = "second-factor" | "enroll"

/** A held sign-in has no session: it waits for another step. */
export type Admission = { readonly kind: "admit" } | { readonly kind: "hold"; readonly step: HoldStep }

const admit: Admission = { kind: "admit" }
const askForFactor: Admission = { kind: "hold", step: "second-factor" }
const askToEnroll: Admission = { kind: "hold", step: "enroll" }

/** Decides whether a session may start. Pure: every path into the app comes through it. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  const { achieved, enrolled, isDemanded, hasUnproved, isDeviceRemembered } = facts
  // Recovery codes replace another factor. Without one there is nothing to replace.
  const hasFactor = enrolled.some((kind) => kind !== "recovery")
  if (!hasFactor && !isDemanded) return admit
  if (countFactors(achieved) >= 2) return admit
  // What the user has comes first: otherwise, a thief of one factor could set up their own.
  if (!hasFactor) return hasUnproved ? askForFactor : askToEnroll
  return isDeviceRemembered ? admit : askForFactor
}
