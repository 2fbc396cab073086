import type { User } from "@latchkey/types"
import { chooseReplayGuard, type ReplayGuard } from "../../checks/replay.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import { runApp } from "../../host/redact.js"
import type { Store } from "../../host/store.js"
import { isPasskeyProvider } from "../../methods/reauthentication.js"
import type { AdapterUser } from "../../types/adapter.js"
import type { AdapterFactor } from "../../types/adapter-features.js"
import type { Awaitable } from "../../types/basics.js"
import { type ActionContext, getOwn } from "../feature.js"
import { createProofCookie, type ProofCookie } from "../proof-cookie.js"
import { createDevices, type Devices, type RememberOptions } from "./devices.js"
import { type CodeFactor, createVault, toFactors, type Vault } from "./factor.js"
import { createHolds, type Holds } from "./hold.js"
import type { RecoveryFactor } from "./recovery-codes.js"
import { createShownAgain, type ShownAgain } from "./shown-again.js"
import type { TotpFactor } from "./totp.js"

/** A kind of second factor: the result of `totp()`, `passkeyFactor()` or `recoveryCodes()`. */
export type SecondFactorKind = TotpFactor | PasskeyFactor | RecoveryFactor

/** Passkeys as a second factor of other ways to sign in. */
export interface PasskeyFactor {
  readonly kind: "passkey"
}

/**
 * Asks users for their passkey when they sign in by anything else. It counts for users who also have recovery codes or an
 * authenticator app: a lost passkey must not lock them out. Needs a WebAuthn provider.
 */
export function passkeyFactor(): PasskeyFactor {
  return Object.freeze<PasskeyFactor>({ kind: "passkey" })
}

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
  readonly remember: false | RememberOptions
}

/** Shared by the gate, its routes and the account functions. */
export interface Tools {
  readonly settings: SecondFactorSettings
  readonly store: Store
  readonly vault: Vault
  readonly holds: Holds
  readonly proofCookie: ProofCookie
  readonly devices: Devices
  readonly shown: ShownAgain
  readonly replayGuard: ReplayGuard
  /** How recent a proof must be for a change. */
  readonly freshness: { readonly maxAgeSeconds: number }
}

/** @throws InvalidConfiguration without `secondFactors` */
export function openTools(context: ActionContext): Tools {
  const { store, secrets, cookieRules, providers, config } = context
  const settings = getOwn<SecondFactorSettings>(context, "secondFactors")
  if (!settings || !store) {
    throw new InvalidConfiguration(
      "secondFactors: there are no second factors. Write secondFactors: secondFactors({ factors: [totp()] })",
    )
  }
  const sealing = { ...cookieRules, secrets }
  const vault = createVault(secrets)
  const { remember, trust } = settings
  const trusted = Object.keys(trust)
  const hasPasskeys = [...providers.values()].some(isPasskeyProvider)
  return {
    settings,
    store,
    vault,
    devices: createDevices({ ...sealing, store, vault, remember, hasPasskeys, trusted }),
    holds: createHolds({ cookieRules, secrets, store }),
    proofCookie: createProofCookie(sealing),
    shown: createShownAgain(sealing),
    replayGuard: chooseReplayGuard(store),
    freshness: { maxAgeSeconds: config.freshFor },
  }
}

export function findTotp({ factors }: SecondFactorSettings): TotpFactor | undefined {
  return factors.find((factor) => factor.kind === "totp")
}

export function findRecovery({ factors }: SecondFactorSettings): RecoveryFactor | undefined {
  return factors.find((factor) => factor.kind === "recovery")
}

/** The factor whose codes have a kind. */
export function findCodeFactor(kind: string | undefined, { factors }: SecondFactorSettings): CodeFactor | undefined {
  return factors.find((factor) => factor.kind === kind && factor.kind !== "passkey") as CodeFactor | undefined
}

type FactorDeps = Pick<Tools, "settings" | "store">

/** The kinds that a user has set up, of those that are offered. */
export async function listKinds(userId: string, deps: FactorDeps): Promise<readonly SecondFactorKind["kind"][]> {
  return toKinds(userId, await deps.store.listFactors(userId), deps)
}

/** The same for rows that were read. */
export async function toKinds(
  userId: string,
  rows: readonly AdapterFactor[],
  deps: FactorDeps,
): Promise<readonly SecondFactorKind["kind"][]> {
  const factors = toFactors(rows)
  const hasKey = factors.length > 0 && (await hasPasskey(userId, deps))
  const has = (kind: string) => (kind === "passkey" ? hasKey : factors.some((row) => row.kind === kind))
  return deps.settings.factors.map(({ kind }) => kind).filter(has)
}

/** Whether the user has a passkey, where it is a second factor. */
export async function hasPasskey(userId: string, { settings, store }: FactorDeps): Promise<boolean> {
  if (!settings.factors.some(({ kind }) => kind === "passkey")) return false
  return (await store.listAuthenticatorsByUserId(userId)).length > 0
}

/** Whether the host demands a second factor of a user, even of one who has set up none. */
export async function isDemanded(user: User | AdapterUser, { require }: SecondFactorSettings): Promise<boolean> {
  // Any result but false demands one: a rule that forgets to return must not open the gate.
  if (typeof require !== "function") return require === "always"
  return (await runApp("secondFactors.require", () => require({ user }), [user])) !== false
}
