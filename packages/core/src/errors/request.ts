import { AuthError } from "./auth-error.js"

/** A `callbackUrl` is not an http(s) URL. */
export class InvalidCallbackUrl extends AuthError {
  override readonly type = "InvalidCallbackUrl"
}

/** The action needs a provider, or does not fit this one. */
export class InvalidProvider extends AuthError {
  override readonly type = "InvalidProvider"
}

/** No such action or method. */
export class UnknownAction extends AuthError {
  override readonly type = "UnknownAction"
}

/** `trustHost` is not set, so the request's host cannot be believed. */
export class UntrustedHost extends AuthError {
  override readonly type = "UntrustedHost"
}
