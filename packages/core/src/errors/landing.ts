import type { AuthError, ErrorKind } from "./auth-error.js"
import type { AuthErrorType } from "./type.js"

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
  | "Verification"
  | "WebAuthnVerificationError"

/** The page on which an error ends, and what its query says. */
export interface Landing {
  readonly page: ErrorKind
  readonly error: PublicErrorCode
}

const misconfigured: Landing = { page: "error", error: "Configuration" }

/**
 * Exhaustive: a new error type does not compile before it has a landing here.
 * @internal Exported for its test.
 */
export const landings: Readonly<Record<AuthErrorType, Landing>> = {
  AccessDenied: { page: "error", error: "AccessDenied" },
  AccountNotLinked: { page: "signIn", error: "AccountNotLinked" },
  AdapterError: misconfigured,
  AuthError: misconfigured,
  CallbackRouteError: misconfigured,
  CredentialsSignin: { page: "signIn", error: "CredentialsSignin" },
  DuplicateConditionalUI: misconfigured,
  EmailSignInError: { page: "signIn", error: "EmailSignin" },
  ErrorPageLoop: misconfigured,
  EventError: misconfigured,
  ExperimentalFeatureNotEnabled: misconfigured,
  InvalidCallbackUrl: misconfigured,
  InvalidCheck: misconfigured,
  InvalidConfiguration: misconfigured,
  InvalidEndpoints: misconfigured,
  InvalidProvider: misconfigured,
  InvalidRequest: misconfigured,
  JWTSessionError: misconfigured,
  MissingAdapter: misconfigured,
  MissingAdapterMethods: misconfigured,
  MissingAuthorize: misconfigured,
  MissingCSRF: { page: "signIn", error: "MissingCSRF" },
  MissingSecret: misconfigured,
  MissingWebAuthnAutocomplete: misconfigured,
  OAuthAccountNotLinked: { page: "signIn", error: "OAuthAccountNotLinked" },
  OAuthCallbackError: { page: "signIn", error: "OAuthCallbackError" },
  OAuthProfileParseError: misconfigured,
  OAuthSignInError: { page: "signIn", error: "OAuthSignin" },
  SessionTokenError: misconfigured,
  SignOutError: misconfigured,
  UnknownAction: misconfigured,
  UnsupportedStrategy: misconfigured,
  UntrustedHost: misconfigured,
  Verification: { page: "error", error: "Verification" },
  WebAuthnVerificationError: { page: "error", error: "WebAuthnVerificationError" },
}

/** Where an error ends. What is not ours is a fault of the service, which the visitor cannot mend. */
export function getLanding(error: AuthError | null): Landing {
  return (error && landings[error.type]) || misconfigured
}
