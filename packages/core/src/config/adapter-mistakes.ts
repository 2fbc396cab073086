import type { Adapter } from "../contract/adapter.js"
import type { AuthError } from "../errors/auth-error.js"
import { MissingAdapter, MissingAdapterMethods } from "../errors/configuration.js"
import type { ResolvedConfig } from "./resolved-config.js"

type Method = keyof Adapter

const forEmail: readonly Method[] = ["createVerificationToken", "useVerificationToken", "getUserByEmail"]
const forStoredSessions: readonly Method[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
]
const forWebAuthn: readonly Method[] = [
  "createUser",
  "getUser",
  "linkAccount",
  "getAccount",
  "getAuthenticator",
  "createAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
]

/** Whether the adapter has what the providers and the session strategy need. */
export function findAdapterMistake(config: ResolvedConfig): AuthError | null {
  const types = new Set(config.providers.map((provider) => provider.type))
  const needs: readonly (readonly [boolean, string, readonly Method[]])[] = [
    [types.has("email"), "an email provider", forEmail],
    // The contract asks no more of a store that email sign-in uses; what else is missing is said when it is called.
    [config.session.strategy === "database" && !types.has("email"), 'session.strategy "database"', forStoredSessions],
    [types.has("webauthn"), "a WebAuthn provider", forWebAuthn],
  ]
  for (const [isNeeded, reason, methods] of needs) {
    const mistake = isNeeded ? findMissing(config.adapter, reason, methods) : null
    if (mistake) return mistake
  }
  return null
}

function findMissing(adapter: Adapter | undefined, reason: string, methods: readonly Method[]): AuthError | null {
  if (!adapter) return new MissingAdapter(`adapter: ${reason} needs one`)
  // A key counts as present: some adapters are proxies that make their methods when these are called.
  const missing = methods.filter((method) => !(method in adapter))
  if (missing.length === 0) return null
  return new MissingAdapterMethods(`adapter: ${reason} needs ${missing.join(", ")}`)
}
