import { AuthError, type ErrorCause } from "./auth-error.js"

/** More than one provider has conditional UI. */
export class DuplicateConditionalUI extends AuthError {
  override readonly type = "DuplicateConditionalUI"
}

/** The host's error page itself needs a session. */
export class ErrorPageLoop extends AuthError {
  override readonly type = "ErrorPageLoop"
}

/** A feature is used that `experimental` does not enable. */
export class ExperimentalFeatureNotEnabled extends AuthError {
  override readonly type = "ExperimentalFeatureNotEnabled"
}

/** An option has a value that cannot work. The message begins with the option's path. */
export class InvalidConfiguration extends AuthError {
  override readonly type = "InvalidConfiguration"
}

/** A provider has neither an issuer nor all of its endpoints. */
export class InvalidEndpoints extends AuthError {
  override readonly type = "InvalidEndpoints"
}

/** The configuration needs an adapter. */
export class MissingAdapter extends AuthError {
  override readonly type = "MissingAdapter"
}

/** The adapter lacks methods that the configuration needs. */
export class MissingAdapterMethods extends AuthError {
  override readonly type = "MissingAdapterMethods"
}

/** A credentials provider has no `authorize` callback. */
export class MissingAuthorize extends AuthError {
  override readonly type = "MissingAuthorize"
}

/** There is no secret. */
export class MissingSecret extends AuthError {
  override readonly type = "MissingSecret"
}

/** Conditional UI needs a field whose `autocomplete` contains `webauthn`. */
export class MissingWebAuthnAutocomplete extends AuthError {
  override readonly type = "MissingWebAuthnAutocomplete"
}

/** The session strategy does not fit the providers. */
export class UnsupportedStrategy extends AuthError {
  override readonly type = "UnsupportedStrategy"
}

/**
 * Thrown by a host's `authorize` callback to refuse. Subclass it to tell clients more.
 * @example class WrongCode extends CredentialsSignin { override code = "wrong-code" }
 */
export class CredentialsSignin extends AuthError {
  override readonly type = "CredentialsSignin"
  /** Shown in the URL; must not hint at what was wrong (such as which of name and password). */
  code: string = "credentials"
}

/** A method of the host's adapter threw; `cause.err` holds what it threw. */
export class AdapterError extends AuthError {
  override readonly type = "AdapterError"
}

/** A provider's callback failed; `cause` holds the error and the provider's id. */
export class CallbackRouteError extends AuthError {
  override readonly type = "CallbackRouteError"
}

/** An event handler of the host threw. Logged; the flow goes on. */
export class EventError extends AuthError {
  override readonly type = "EventError"
}

/** A check cookie (state, PKCE, nonce, challenge) is absent, foreign, expired or wrong. */
export class InvalidCheck extends AuthError {
  override readonly type = "InvalidCheck"
}

/** A session token could not be read, or a callback threw while it was. Logged; there is no session. */
export class JWTSessionError extends AuthError {
  override readonly type = "JWTSessionError"
}

/** A provider's profile could not be turned into a user. */
export class OAuthProfileParseError extends AuthError {
  override readonly type = "OAuthProfileParseError"
}

/** A stored session could not be read. Logged; there is no session. */
export class SessionTokenError extends AuthError {
  override readonly type = "SessionTokenError"
}

/** The session could not be removed. Logged; the cookies are cleared all the same. */
export class SignOutError extends AuthError {
  override readonly type = "SignOutError"
}

/** 405, 413 and 414 are RFC 9110 section 15.5, 431 is RFC 6585 section 5. */
type RefusalStatus = 400 | 405 | 413 | 414 | 431

/** A body, query, header or field that cannot be read. Answered with a status, not with a page. */
export class InvalidRequest extends AuthError {
  override readonly type = "InvalidRequest"
  readonly status: RefusalStatus

  /** @param cause `allow`: the methods that would have been answered, for the header of that name. */
  constructor(message: string, status: RefusalStatus = 400, cause?: ErrorCause) {
    super(message, cause)
    this.status = status
  }
}

/** A `callbackUrl` is not an http(s) URL. */
export class InvalidCallbackUrl extends AuthError {
  override readonly type = "InvalidCallbackUrl"
}

/** The action needs a provider, or does not fit this one. */
export class InvalidProvider extends AuthError {
  override readonly type = "InvalidProvider"
}

/**
 * A budget of requests, mails or wrong attempts is spent. Answered with 429. A host that limits by its own means may
 * throw it too, with
 * `retryAfterSeconds` in its cause.
 */
export class TooManyRequests extends AuthError {
  override readonly type = "TooManyRequests"

  /** When it is worth asking again. Default: a minute. */
  get retryAfterSeconds(): number {
    const seconds = this.cause?.["retryAfterSeconds"]
    return typeof seconds === "number" && seconds > 0 ? Math.ceil(seconds) : 60
  }
}

/** No such action or method. */
export class UnknownAction extends AuthError {
  override readonly type = "UnknownAction"
}

/** The request's host cannot be believed, is none, or is not one of `allowedOrigins`. */
export class UntrustedHost extends AuthError {
  override readonly type = "UntrustedHost"
}

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
