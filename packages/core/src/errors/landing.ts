import type { FailureKind } from "./failure-kind.js"
import type { AuthErrorType } from "./type.js"

/** The built-in page on which an error ends. */
export type ErrorKind = "signIn" | "error"

/** The codes that a visitor may see in the `error` query of a page. */
export type PublicErrorCode =
  | "AccessDenied"
  | "AccountNotLinked"
  | "Configuration"
  | "CredentialsSignin"
  | "EmailSignin"
  | "MissingCSRF"
  | "OAuthAccountNotLinked"
  | "OAuthCallbackError"
  | "OAuthSignin"
  | "TooManyRequests"
  | "Verification"
  | "WebAuthnVerificationError"

/** The page on which an error ends, what its query says, and what the log calls it. */
export interface Landing {
  readonly page: ErrorKind
  readonly error: PublicErrorCode
  readonly concerns: FailureKind
}

/** Nothing that the visitor could mend, or should know. */
const hidden = (concerns: FailureKind): Landing => ({ page: "error", error: "Configuration", concerns })

/**
 * Exhaustive: a new error type does not compile before it has a landing here.
 * @internal Exported for its test.
 */
export const landings: Readonly<Record<AuthErrorType, Landing>> = {
  AccessDenied: { page: "error", error: "AccessDenied", concerns: "permission" },
  AccountNotLinked: { page: "signIn", error: "AccountNotLinked", concerns: "linking" },
  AdapterError: hidden("adapter"),
  AuthError: hidden("service"),
  CallbackRouteError: hidden("provider"),
  CredentialsSignin: { page: "signIn", error: "CredentialsSignin", concerns: "credentials" },
  DuplicateConditionalUI: hidden("config"),
  EmailSignInError: { page: "signIn", error: "EmailSignin", concerns: "input" },
  ErrorPageLoop: hidden("config"),
  EventError: hidden("event"),
  ExperimentalFeatureNotEnabled: hidden("config"),
  InvalidCallbackUrl: hidden("url"),
  InvalidCheck: hidden("check"),
  InvalidConfiguration: hidden("config"),
  InvalidEndpoints: hidden("config"),
  InvalidProvider: hidden("provider"),
  InvalidRequest: hidden("input"),
  JWTSessionError: hidden("session"),
  MissingAdapter: hidden("config"),
  MissingAdapterMethods: hidden("config"),
  MissingAuthorize: hidden("config"),
  MissingCSRF: { page: "signIn", error: "MissingCSRF", concerns: "csrf" },
  MissingSecret: hidden("config"),
  MissingWebAuthnAutocomplete: hidden("config"),
  OAuthAccountNotLinked: { page: "signIn", error: "OAuthAccountNotLinked", concerns: "linking" },
  OAuthCallbackError: { page: "signIn", error: "OAuthCallbackError", concerns: "provider" },
  OAuthProfileParseError: hidden("provider"),
  OAuthSignInError: { page: "signIn", error: "OAuthSignin", concerns: "provider" },
  SessionTokenError: hidden("session"),
  SignOutError: hidden("session"),
  TooManyRequests: { page: "signIn", error: "TooManyRequests", concerns: "rate-limit" },
  UnknownAction: hidden("input"),
  UnsupportedStrategy: hidden("config"),
  UntrustedHost: hidden("host"),
  Verification: { page: "error", error: "Verification", concerns: "verification" },
  WebAuthnVerificationError: { page: "error", error: "WebAuthnVerificationError", concerns: "webauthn" },
}

/** Where an error ends. What is not ours is a fault of the service, which the visitor cannot mend. */
export function getLanding(error: { readonly type: AuthErrorType } | null): Landing {
  return error && Object.hasOwn(landings, error.type) ? landings[error.type] : landings.AuthError
}
