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

/**
 * Names the session of your app once, for functions and hooks that do not get the configuration:
 * `declare module "@latchkey/types" { interface Register { session: SessionOf<typeof config> } }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: apps add the field.
export interface Register {}

/** What functions and hooks return: the session that {@link Register} names, else {@link Session}. */
export type AppSession = Register extends { readonly session: infer Named extends DefaultSession } ? Named : Session

/**
 * The `error` of a JSON answer of the account area, of passwords and of second factors. New ones may be added, so a `switch`
 * needs a default.
 */
export type ServiceErrorType =
  | "AccessDenied"
  | "AccountNotLinked"
  | "AuthError"
  | "ChangeRefused"
  | "CodeSpent"
  | "CodeWrong"
  | "CredentialsSignin"
  | "CurrentPasswordWrong"
  | "EmailSignInError"
  | "FreshnessRequired"
  | "HeldExpired"
  | "InvalidRequest"
  | "MissingCSRF"
  | "NotFound"
  | "PasswordRefused"
  | "SecondFactorWrong"
  | "SignedOut"
  | "TooManyRequests"
  | "UnknownAction"
  | "Verification"

/**
 * Why a new password cannot be used: the `code` of `PasswordRefused`. Pages and clients show a sentence for it. It reveals
 * nothing about the password.
 */
export type PasswordFault =
  | "missing"
  | "too-short"
  | "too-long"
  | "characters"
  | "blocked"
  | "breached"
  | "same-as-before"

/**
 * Why a change of the account was refused: the `code` of `ChangeRefused`.
 *
 * - `address`, `same`, `taken`: the new email address is invalid, the current one, or another user's.
 * - `code`: the code of the email is wrong. `spent`: it no longer works. `mail`: the email could not be sent.
 * - `hourly`: the data can be downloaded once an hour.
 * - `image`: the picture is not an http(s) URL.
 * - `picture`: the uploaded file is not a picture, or too large.
 * - `kept`: `beforeDelete` keeps the account.
 * - `last-sign-in-method`: this is the only sign-in method that works.
 * - `required`: this is the last second factor of a user who must have one.
 * - `text`: the text that confirms a deletion is wrong.
 */
export type ChangeFault =
  | "address"
  | "code"
  | "hourly"
  | "image"
  | "kept"
  | "last-sign-in-method"
  | "mail"
  | "picture"
  | "required"
  | "same"
  | "spent"
  | "taken"
  | "text"
