import { AuthError, toError } from "../errors/auth-error.js"
import { InvalidRequest, UntrustedHost } from "../errors/errors.js"
import { describeHost } from "../http/origin.js"
import { type CookieScheme, ownCookies, toOwnCookie } from "../http/own-cookies.js"
import type { AuthRequest } from "../http/request.js"
import { json, noStore, Refusal, type Reply } from "../http/response.js"
import type { CookieOption } from "../types/http.js"

/** A thrown error, ready for the log and the reply. */
export interface Failure {
  /** Errors that are not ours are wrapped, so that they have a reference. */
  readonly error: AuthError
  readonly cookies: NonNullable<Reply["cookies"]>
  /** Id of the user who was refused, if it is known. */
  readonly userId?: string | undefined
}

/** Wraps a value that an action threw. */
export function toFailure(thrown: unknown): Failure {
  const { error, cookies, userId } =
    thrown instanceof Refusal ? thrown : { error: thrown, cookies: [], userId: undefined }
  return { error: error instanceof AuthError ? error : new AuthError(toError(error)), cookies, userId }
}

/** Answers a request that could not be read: with a status, not with a page. */
export function refuseRequest(error: AuthError): Reply {
  const allow = error.cause?.["allow"]
  const headers = { ...noStore, ...(typeof allow === "string" && { allow }) }
  return json("Bad request.", { status: error instanceof InvalidRequest ? error.status : 400, headers })
}

/** Answers when the reply could not be serialized, such as a session with a circular reference. */
export function refuseUnwritten({ reference }: AuthError): Reply {
  const message = `The answer could not be written. The server log has the details (reference ${reference}).`
  return json({ message }, { status: 500, headers: noStore })
}

/**
 * The cookie that passes an error's reference to the error page. The query has no room for it: its exact form is part of
 * the contract. `reference.ts` writes and reads it.
 */
export function referenceCookie(scheme: CookieScheme): CookieOption {
  const { name, options } = toOwnCookie(ownCookies.errorReference, scheme)
  return { name, options: { ...options, maxAge: ownCookies.errorReference.seconds } }
}

/** The mistake as the log has it: the configuration is validated once, but the host is different for each request. */
export function explainMistake(mistake: AuthError, request: AuthRequest): AuthError {
  return mistake instanceof UntrustedHost ? withHost(mistake, request) : mistake
}

/** The integration knows its framework. */
function withHost({ message }: UntrustedHost, { url, headers, context }: AuthRequest): UntrustedHost {
  const { proxySetting } = context
  const setting = proxySetting === undefined ? "" : `, and make the framework trust that proxy: ${proxySetting}`
  return new UntrustedHost(`${message}${setting}. The request's host is ${describeHost(headers, url.host)}`)
}
