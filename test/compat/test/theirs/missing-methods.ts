import { type AdapterMethod, featureMethods } from "@latchkey/testkit/adapter"

/** Methods that we added to the contract. The service works without them, with weaker guarantees across processes. */
export const ours: readonly AdapterMethod[] = [
  "deleteAuthenticator",
  "isEmailVerified",
  "listAccountsByUserId",
  "markEmailVerified",
  "consumeOnce",
  "updateAuthenticator",
  ...featureMethods,
]

/** For adapters without passkeys. */
export const passkeys: readonly AdapterMethod[] = [
  "createAuthenticator",
  "getAccount",
  "getAuthenticator",
  "listAuthenticatorsByUserId",
  "updateAuthenticatorCounter",
]
