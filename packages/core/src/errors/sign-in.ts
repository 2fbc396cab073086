import { AuthError, type ErrorKind } from "./auth-error.js"

/** The email address or the account belongs to another user, and nothing allows to link it. */
export class OAuthAccountNotLinked extends AuthError {
  override readonly type = "OAuthAccountNotLinked"
  override readonly kind: ErrorKind = "signIn"
}

/** The provider answered the authorization request with an error, RFC 6749 section 4.1.2.1. */
export class OAuthCallbackError extends AuthError {
  override readonly type = "OAuthCallbackError"
  override readonly kind: ErrorKind = "signIn"
}

/** The authorization request could not be made: discovery failed or the provider is misconfigured. */
export class OAuthSignInError extends AuthError {
  override readonly type = "OAuthSignInError"
  override readonly kind: ErrorKind = "signIn"
}

/** The address was refused or the mail could not be handed over. */
export class EmailSignInError extends AuthError {
  override readonly type = "EmailSignInError"
  override readonly kind: ErrorKind = "signIn"
}

/** The CSRF token is absent or wrong, or the request comes from a foreign origin. */
export class MissingCSRF extends AuthError {
  override readonly type = "MissingCSRF"
  override readonly kind: ErrorKind = "signIn"
}

/** A WebAuthn credential belongs to another user, or the address is taken. */
export class AccountNotLinked extends AuthError {
  override readonly type = "AccountNotLinked"
  override readonly kind: ErrorKind = "signIn"
}

/** The host's `signIn` callback refused. */
export class AccessDenied extends AuthError {
  override readonly type = "AccessDenied"
}

/** An email link was used already, has expired or never existed. */
export class Verification extends AuthError {
  override readonly type = "Verification"
}

/** A WebAuthn response did not verify. */
export class WebAuthnVerificationError extends AuthError {
  override readonly type = "WebAuthnVerificationError"
}
