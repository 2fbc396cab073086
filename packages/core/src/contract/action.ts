import type { AuthAction } from "@latchkey/types"

export type * from "@latchkey/types"

/** The names of the service's HTTP actions: the first path segment below the base path. */
export const authActions: readonly AuthAction[] = [
  "callback",
  "csrf",
  "error",
  "providers",
  "session",
  "signin",
  "signout",
  "verify-request",
  "webauthn-options",
]
