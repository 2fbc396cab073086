import type { AdapterMethod } from "@latchkey/testkit/adapter"

/** What we added to the contract. A service does without: each process remembers for itself what was spent, say. */
export const ours: readonly AdapterMethod[] = [
  "deleteAuthenticator",
  "isEmailVerified",
  "listAccountsByUserId",
  "markEmailVerified",
  "consumeOnce",
  "updateAuthenticator",
]

/** Of those that keep no passkeys. */
export const passkeys: readonly AdapterMethod[] = [
  "createAuthenticator",
  "getAccount",
  "getAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
]
