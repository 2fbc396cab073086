import { AuthError, type ErrorCause } from "./auth-error.js"

/** The app's own forms may cause it. */
class RejectedForm extends AuthError {
  /** The HTTP status with which Express, Koa, Fastify, Elysia and h3 answer if the app does not catch the error. */
  readonly status: number = 400
}

/** More than one provider enables conditional UI. */
export class DuplicateConditionalUI extends AuthError {
  static override readonly type: string = "DuplicateConditionalUI"
}

/** The configured error page requires a session itself. */
export class ErrorPageLoop extends AuthError {
  static override readonly type: string = "ErrorPageLoop"
}

/** A feature needs an `experimental` option that is not set. Never thrown: no feature needs one. */
export class ExperimentalFeatureNotEnabled extends AuthError {
  static override readonly type: string = "ExperimentalFeatureNotEnabled"
}

/** An option has an invalid value. The message begins with the option's path. */
export class InvalidConfiguration extends AuthError {
  static override readonly type: string = "InvalidConfiguration"
}

/** A provider has neither an issuer nor all of its endpoints. */
export class InvalidEndpoints extends AuthError {
  static override readonly type: string = "InvalidEndpoints"
}

/** The configuration needs an adapter. */
export class MissingAdapter extends AuthError {
  static override readonly type: string = "MissingAdapter"
}

/** The adapter lacks methods that the configuration needs. */
export class MissingAdapterMethods extends AuthError {
  static override readonly type: string = "MissingAdapterMethods"
}

/** A credentials provider has no `authorize` callback. */
export class MissingAuthorize extends AuthError {
  static override readonly type: string = "MissingAuthorize"
}

/** No secret is configured. */
export class MissingSecret extends AuthError {
  static override readonly type: string = "MissingSecret"
}

/** Conditional UI is enabled, but no form field has `webauthn` in its `autocomplete` attribute. */
export class MissingWebAuthnAutocomplete extends AuthError {
  static override readonly type: string = "MissingWebAuthnAutocomplete"
}

/** The session strategy does not support one of the providers. */
export class UnsupportedStrategy extends AuthError {
  static override readonly type: string = "UnsupportedStrategy"
}

/**
 * Throw it from `authorize` to refuse a sign-in. Subclass it to send your own code to the client.
 * @example class WrongCode extends CredentialsSignin { override code = "wrong-code" }
 */
export class CredentialsSignin extends RejectedForm {
  static override readonly type: string = "CredentialsSignin"
  /** Shown in the URL; must not reveal which field was wrong. Default: `credentials`. */
  code: string = "credentials"
  override readonly status: number = 401
}

/** A method of the adapter threw; `cause.err` is the original error. */
export class AdapterError extends AuthError {
  static override readonly type: string = "AdapterError"
}

/** The callback of a provider failed; `cause` has the original error and the provider's id. */
export class CallbackRouteError extends AuthError {
  static override readonly type: string = "CallbackRouteError"
}

/** An event handler threw. Logged; the request continues. */
export class EventError extends AuthError {
  static override readonly type: string = "EventError"
}

/** A check cookie (state, PKCE, nonce, challenge) is missing, expired, wrong or from another browser. */
export class InvalidCheck extends AuthError {
  static override readonly type: string = "InvalidCheck"
}

/**
 * A session token could not be read, or a callback threw meanwhile: logged, and the request has no session. Or a new
 * session is larger than its cookies may be: the sign-in or the update fails.
 */
export class JWTSessionError extends AuthError {
  static override readonly type: string = "JWTSessionError"
}

/** The profile callback of a provider failed or returned an invalid user. */
export class OAuthProfileParseError extends AuthError {
  static override readonly type: string = "OAuthProfileParseError"
}

/**
 * A session could not be read. If the store failed, it is unknown whether the visitor is signed in: functions for servers throw
 * this error, and frameworks that read the status and the headers of an error answer 503 with `Retry-After`. If a callback
 * threw, it is logged, and the request has no session.
 */
export class SessionTokenError extends AuthError {
  static override readonly type: string = "SessionTokenError"
  /** The HTTP status, as Express, Koa and Elysia read it. */
  readonly status = 503
  /** The same, as Fastify, NestJS and h3 read it. */
  readonly statusCode = 503
  /** The headers of the response. Names in lower case. */
  readonly headers: Readonly<Record<string, string>> = { "retry-after": "5", "cache-control": "private, no-store" }

  /** The response, as Hono asks an error for it. */
  getResponse(): Response {
    const { status, headers } = this
    return Response.json({ message: "The session cannot be read at the moment. Try again later." }, { status, headers })
  }
}

/** The session could not be removed. Logged; the cookies are cleared anyway. */
export class SignOutError extends AuthError {
  static override readonly type: string = "SignOutError"
}

/** 405, 413 and 414 are RFC 9110 section 15.5, 431 is RFC 6585 section 5. */
type RefusalStatus = 400 | 405 | 413 | 414 | 431

/** A body, query, header or field is invalid. Answered with a status code, not with a page. */
export class InvalidRequest extends AuthError {
  static override readonly type: string = "InvalidRequest"
  /** HTTP status code of the answer. Default: 400. */
  readonly status: RefusalStatus

  /** @param cause `allow`: the supported methods, for the `Allow` header. */
  constructor(message: string, status: RefusalStatus = 400, cause?: ErrorCause) {
    super(message, cause)
    this.status = status
  }
}

/** A logout token is invalid, or the provider's logout request is. Answered with 400; no session ended. */
export class LogoutTokenInvalid extends AuthError {
  static override readonly type: string = "LogoutTokenInvalid"
}

/** A `callbackUrl` is neither a URL nor a path. */
export class InvalidCallbackUrl extends RejectedForm {
  static override readonly type: string = "InvalidCallbackUrl"
}

/** The action needs a provider, or does not support this one. */
export class InvalidProvider extends AuthError {
  static override readonly type: string = "InvalidProvider"
}

/**
 * A rate limit is exceeded. Answered with 429. Throw it from your own rate limit too, with `retryAfterSeconds` in its
 * cause.
 */
export class TooManyRequests extends RejectedForm {
  static override readonly type: string = "TooManyRequests"
  override readonly status: number = 429

  /** Seconds until the next attempt can succeed. Default: 60. */
  get retryAfterSeconds(): number {
    const seconds = this.cause?.["retryAfterSeconds"]
    return typeof seconds === "number" && seconds > 0 ? Math.ceil(seconds) : 60
  }
}

/** The path or the method is not one of the service. */
export class UnknownAction extends AuthError {
  static override readonly type: string = "UnknownAction"
}

/** The request's host is not trusted, is invalid, or is not in `allowedOrigins`. */
export class UntrustedHost extends AuthError {
  static override readonly type: string = "UntrustedHost"
}

/** The email address or the account belongs to another user, and linking is not allowed. */
export class OAuthAccountNotLinked extends AuthError {
  static override readonly type: string = "OAuthAccountNotLinked"
}

/** The provider answered the authorization request with an error, RFC 6749 section 4.1.2.1. */
export class OAuthCallbackError extends AuthError {
  static override readonly type: string = "OAuthCallbackError"
}

/** The authorization request could not be created: discovery failed or the provider is misconfigured. */
export class OAuthSignInError extends AuthError {
  static override readonly type: string = "OAuthSignInError"
}

/** The email address was refused, or the mail could not be sent. */
export class EmailSignInError extends RejectedForm {
  static override readonly type: string = "EmailSignInError"
  override readonly status: number = this.cause?.["concerns"] === "provider" ? 500 : 400
}

/** The CSRF token is missing or wrong, or the request comes from another origin. */
export class MissingCSRF extends RejectedForm {
  static override readonly type: string = "MissingCSRF"
  override readonly status: number = 403
}

/** The user must re-authenticate. Answered with 403, or with a redirect to the page that asks. */
export class FreshnessRequired extends RejectedForm {
  static override readonly type: string = "FreshnessRequired"
  override readonly status: number = 403
}

/** A sign-in that waited for a second factor cannot go on: it took too long, or was completed before. */
export class HeldExpired extends AuthError {
  static override readonly type: string = "HeldExpired"
}

/** The code of a second factor is wrong, or was used before. */
export class SecondFactorWrong extends AuthError {
  static override readonly type: string = "SecondFactorWrong"
}

/** A sign-in that has to wait for a second factor does not fit into cookies. */
export class HeldTooLarge extends AuthError {
  static override readonly type: string = "HeldTooLarge"
}

/**
 * Why `getAccessToken` has no token. `refused`: the provider ended the grant, so the user must sign in with it again, as
 * for `no-refresh-token` and, with that scope, for `scope-missing`. `unreachable`: the provider did not answer; try later.
 * `misconfigured`: the provider refused the request or the client; only a change of the configuration helps.
 * `cannot-write`: the token is due, and the place that asked cannot set the cookie of a new one.
 */
export type AccessTokenFailure =
  | "signed-out"
  | "no-account"
  | "no-refresh-token"
  | "scope-missing"
  | "refused"
  | "misconfigured"
  | "unreachable"
  | "cannot-write"

/** `getAccessToken` has no token for the user. `reason` says why; `cause.err` is the provider's error, if any. */
export class AccessTokenUnavailable extends AuthError {
  static override readonly type: string = "AccessTokenUnavailable"
  /** Why there is none. Default: `unreachable`. */
  readonly reason: AccessTokenFailure

  constructor(message: string, reason: AccessTokenFailure = "unreachable", cause?: ErrorCause) {
    super(message, cause)
    this.reason = reason
  }
}

/** A passkey belongs to another user, or the email address is taken. */
export class AccountNotLinked extends AuthError {
  static override readonly type: string = "AccountNotLinked"
}

/** The `signIn` callback refused. */
export class AccessDenied extends RejectedForm {
  static override readonly type: string = "AccessDenied"
  override readonly status: number = 403
}

/** A sign-in link was already used, has expired or never existed. */
export class Verification extends RejectedForm {
  static override readonly type: string = "Verification"
}

/** The code of a sign-in mail is wrong. There are guesses left. */
export class CodeWrong extends RejectedForm {
  static override readonly type: string = "CodeWrong"
}

/** No code can be typed in this browser: it expired, was tried too often, was replaced, or was never asked for here. */
export class CodeSpent extends RejectedForm {
  static override readonly type: string = "CodeSpent"
}

/** A passkey response could not be verified. */
export class WebAuthnVerificationError extends AuthError {
  static override readonly type: string = "WebAuthnVerificationError"
}
