import type { AuthMethod } from "../account/proof.js"
import { countFactors, isPhishingResistant } from "../account/session-proofs.js"

/** A second factor that a user can set up. */
export type FactorKind = "totp" | "passkey" | "recovery"

/** What decides whether a proven sign-in may start a session. */
export interface AdmissionFacts {
  /** Whether the account is disabled. */
  readonly isDisabled: boolean
  readonly achieved: readonly AuthMethod[]
  /** The second factors of the user. */
  readonly enrolled: readonly FactorKind[]
  /** What the host demands of this user, beyond what the user has set up. */
  readonly demanded: "none" | "second-factor" | "phishing-resistant"
  /** Whether the user passed a second factor on this device before, and asked to be remembered. */
  readonly isDeviceRemembered: boolean
}

/** What a sign-in waits for. */
export type HoldStep = "second-factor" | "enroll"

/** A held sign-in has no session: it waits for another step. */
export type Admission =
  | { readonly kind: "admit" }
  | { readonly kind: "hold"; readonly step: HoldStep }
  | { readonly kind: "refuse"; readonly reason: string }

const admit: Admission = { kind: "admit" }
const askForFactor: Admission = { kind: "hold", step: "second-factor" }
const askToEnroll: Admission = { kind: "hold", step: "enroll" }

/** Decides whether a session may start. Pure: every path into the app comes through it. */
export function decideAdmission(facts: AdmissionFacts): Admission {
  const { isDisabled, achieved, enrolled, demanded, isDeviceRemembered } = facts
  if (isDisabled) return { kind: "refuse", reason: "The account is disabled" }
  if (demanded === "phishing-resistant") {
    if (isPhishingResistant(achieved)) return admit
    return enrolled.includes("passkey") ? askForFactor : askToEnroll
  }
  // Recovery codes replace another factor. Without one there is nothing to replace.
  const hasFactor = enrolled.some((kind) => kind !== "recovery")
  if (!hasFactor && demanded === "none") return admit
  if (countFactors(achieved) >= 2) return admit
  if (!hasFactor) return askToEnroll
  return isDeviceRemembered ? admit : askForFactor
}
