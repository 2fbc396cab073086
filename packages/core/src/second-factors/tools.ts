import type { User } from "@latchkey/types"
import type { Gate } from "../actions/callback.js"
import type { ActionContext } from "../actions/context.js"
import { chooseReplayGuard, type ReplayGuard } from "../checks/replay.js"
import { InvalidConfiguration } from "../errors/errors.js"
import type { Store } from "../host/store.js"
import type { AdapterUser } from "../types/adapter.js"
import type { Awaitable } from "../types/basics.js"
import type { SecondFactor } from "../types/config.js"
import type { Feature } from "../types/resolved.js"
import { createVault, type Vault } from "./factor.js"
import { createHolds, type Holds } from "./hold.js"
import { createProofCookie, type ProofCookie } from "./proof-cookie.js"
import type { RecoveryFactor } from "./recovery-codes.js"
import type { TotpFactor } from "./totp.js"

/** A kind of second factor: the result of `totp()` or `recoveryCodes()`. */
export type SecondFactorKind = TotpFactor | RecoveryFactor

/** The user for whom a rule is evaluated. */
export interface SecondFactorFacts {
  readonly user: User | AdapterUser
}

/**
 * Who needs a second factor. `enrolled`: those who have set one up. `always`: all users; those without one set it up before
 * their session starts. A function: as with `always` for the users for whom it returns true, as with `enrolled` for others.
 */
export type SecondFactorRequirement = "enrolled" | "always" | ((facts: SecondFactorFacts) => Awaitable<boolean>)

/** The claims of a verified ID token. */
export type TrustCallback = (claims: Readonly<Record<string, unknown>>) => boolean

/** The options of `secondFactors()` with their defaults. */
export interface SecondFactorSettings {
  readonly factors: readonly SecondFactorKind[]
  readonly require: SecondFactorRequirement
  readonly trust: Readonly<Record<string, TrustCallback>>
}

/** The value of `secondFactor`, as the service sees it. */
export interface SecondFactorFeature extends SecondFactor, Feature, Gate {
  readonly settings: SecondFactorSettings
}

/** Shared by the gate, its routes and the account functions. */
export interface Tools {
  readonly settings: SecondFactorSettings
  readonly store: Store
  readonly vault: Vault
  readonly holds: Holds
  readonly proofCookie: ProofCookie
  readonly replayGuard: ReplayGuard
}

/** @throws InvalidConfiguration without `secondFactor` */
export function openTools({ features, store, secrets, referenceCookie }: ActionContext): Tools {
  const feature = features.find(isSecondFactor)
  if (!feature || !store) {
    throw new InvalidConfiguration(
      "secondFactor: there are no second factors. Write secondFactor: secondFactors({ factors: [totp()] })",
    )
  }
  const isSecure = referenceCookie.options.secure === true
  return {
    settings: feature.settings,
    store,
    vault: createVault(secrets),
    holds: createHolds({ isSecure, secrets, store }),
    proofCookie: createProofCookie({ isSecure, secrets }),
    replayGuard: chooseReplayGuard(store),
  }
}

function isSecondFactor(feature: Feature): feature is SecondFactorFeature {
  return "feature" in feature && feature.feature === "secondFactor"
}

export function findTotp({ factors }: SecondFactorSettings): TotpFactor | undefined {
  return factors.find((factor) => factor.kind === "totp")
}

export function findRecovery({ factors }: SecondFactorSettings): RecoveryFactor | undefined {
  return factors.find((factor) => factor.kind === "recovery")
}

/** The kinds that a user has set up, of those that are offered. */
export async function listKinds(
  userId: string,
  { settings, store }: Pick<Tools, "settings" | "store">,
): Promise<readonly SecondFactorKind["kind"][]> {
  const rows = await store.listFactors(userId)
  return settings.factors.map(({ kind }) => kind).filter((kind) => rows.some((row) => row.kind === kind))
}

/** Whether the host demands a second factor of a user, even of one who has set up none. */
export async function isDemanded(user: User | AdapterUser, { require }: SecondFactorSettings): Promise<boolean> {
  // Any result but false demands one: a rule that forgets to return must not open the gate.
  return typeof require === "function" ? (await require({ user })) !== false : require === "always"
}
