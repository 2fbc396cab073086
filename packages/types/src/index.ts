// Imported as `@latchkey/types`. Types only, so that a browser project installs no server package.

/** The name of an HTTP action of the service: the first path segment below the base path. */
export type AuthAction =
  | "callback"
  | "csrf"
  | "error"
  | "providers"
  | "session"
  | "signin"
  | "signout"
  | "verify-request"
  | "webauthn-options"

/** The sign-in method that a provider uses. */
export type ProviderType = "oidc" | "oauth" | "email" | "credentials" | "webauthn"

/**
 * A value of a shape that only your app knows: a provider's own claim, or the data of `update()`. Typed as `any`, so that
 * you can read it without a check. It is untrusted all the same.
 */
// biome-ignore lint/suspicious/noExplicitAny: code that was written for Auth.js reads such values unchecked.
export type AnyValue = any

/** The fields of a provider that the service shows to clients. */
export interface PublicProvider {
  readonly id: string
  readonly name: string
  readonly type: ProviderType
  readonly signinUrl: string
  readonly callbackUrl: string
}

/** The standard fields of a user. Augment `User` to add your own. */
export interface DefaultUser {
  id?: string
  name?: string | null
  email?: string | null
  image?: string | null
}

/**
 * A user as callbacks and sessions see it. Add fields by module augmentation:
 * `declare module "@latchkey/core" { interface User { role: string } }`.
 */
export interface User extends DefaultUser {}

/** The standard fields of a session. `expires` is an ISO 8601 date and time. */
export interface DefaultSession {
  user?: User
  expires: string
}

/**
 * A session as clients see it. Add fields by module augmentation:
 * `declare module "@latchkey/core" { interface Session { role: string } }`.
 */
export interface Session extends DefaultSession {}
