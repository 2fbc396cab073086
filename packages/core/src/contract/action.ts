/** The names of the service's HTTP actions: the first path segment below the base path. */
export const authActions = [
  "callback",
  "csrf",
  "error",
  "providers",
  "session",
  "signin",
  "signout",
  "verify-request",
  "webauthn-options",
] as const

/** The name of an action. */
export type AuthAction = (typeof authActions)[number]
