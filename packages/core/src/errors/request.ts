import { AuthError } from "./auth-error.js"

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
