import { AuthError } from "./auth-error.js"

/** The email address or the account belongs to another user, and nothing allows to link it. */
export class OAuthAccountNotLinked extends AuthError {
  override readonly type = "OAuthAccountNotLinked"
}

/** The provider answered the authorization request with an error, RFC 6749 section 4.1.2.1. */
export class OAuthCallbackError extends AuthError {
  override readonly type = "OAuthCallbackError"
}

/** The authorization request could not be made: discovery failed or the provider is misconfigured. */
export class OAuthSignInError extends AuthError {
  override readonly type = "OAuthSignInError"
}

/** The address was refused or the mail could not be handed over. */
export class EmailSignInError extends AuthError {
  override readonly type = "EmailSignInError"
}

/** The CSRF token is absent or wrong, or the request comes from a foreign origin. */
export class MissingCSRF extends AuthError {
  override readonly type = "MissingCSRF"
}

/** A WebAuthn credential belongs to another user, or the address is taken. */
export class AccountNotLinked extends AuthError {
  override readonly type = "AccountNotLinked"
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
