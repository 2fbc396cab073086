import { AuthError } from "./auth-error.js"

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
