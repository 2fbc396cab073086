import { AuthError, toError } from "../errors/auth-error.js"
import { InvalidRequest } from "../errors/errors.js"
import type { CookieJar } from "../http/cookies.js"
import { json, Refusal, type Reply } from "../http/response.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import { noStore } from "./context.js"

/** What an action threw, as the log and the refusal need it. */
export interface Failure {
  /** What goes to the log. What is not ours is wrapped, so that it has a reference. */
  readonly error: AuthError
  readonly cookies: NonNullable<Reply["cookies"]>
  /** Id of the stored user who was refused, where that is known. */
  readonly userId?: string | undefined
}

export function toFailure(thrown: unknown): Failure {
  const { error, cookies, userId } =
    thrown instanceof Refusal ? thrown : { error: thrown, cookies: [], userId: undefined }
  return { error: error instanceof AuthError ? error : new AuthError(toError(error)), cookies, userId }
}

/** A request that could not even be read is answered by a status, not by a page. */
export function refuseRequest(error: AuthError): Reply {
  const allow = error.cause?.["allow"]
  const headers = { ...noStore, ...(typeof allow === "string" && { allow }) }
  return json("Bad request.", { status: error instanceof InvalidRequest ? error.status : 400, headers })
}

/**
 * An answer that could not be written, such as what the host's `session` callback returned: nothing of it is given
 * away.
 */
export function refuseUnwritten({ reference }: AuthError): Reply {
  const message = `The answer could not be written. The server log has the details (reference ${reference}).`
  return json({ message }, { status: 500, headers: noStore })
}

/** Long enough to read the page, short enough not to be found on a later one. */
const maxAgeSeconds = 5 * 60

const pattern = /^([0-9A-Z]{4}-[0-9A-Z]{2}):([A-Za-z]+):([\w.~-]*):([\w.~-]*)$/

/**
 * The cookie that takes an error's reference to the page on which the error ends. It is no part of the query, since the
 * pages of hosts and their tests know that query.
 */
export function referenceCookie({ isSecure }: { readonly isSecure: boolean }): CookieOption {
  const name = `${isSecure ? "__Secure-" : ""}authjs.error-reference`
  return { name, options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure, maxAge: maxAgeSeconds } }
}

export function toReferenceCookie(cookie: CookieOption, error: AuthError, code: string): ResponseCookie {
  const parts = [error.reference, code, textOf(error, "provider"), textOf(error, "error")]
  return { ...cookie, value: parts.join(":") }
}

/** A detail of the cause that may be shown: the provider's id, or the error code that the provider answered. */
function textOf(error: AuthError, detail: "provider" | "error"): string {
  const value = error.cause?.[detail]
  return typeof value === "string" && /^[\w.~-]{1,64}$/.test(value) ? value : ""
}

/** All of it untrusted: a browser can send anything. */
interface FoundReference {
  readonly reference: string
  /** Id of the provider that failed. */
  readonly errorProvider: string | undefined
  /** What the provider answered, RFC 6749 section 4.1.2.1. */
  readonly providerError: string | undefined
}

/** The reference that belongs to the error which a page shows. */
export function findReference({ name }: CookieOption, jar: CookieJar, code: string | null): FoundReference | null {
  const [, reference, shown, errorProvider, providerError] = pattern.exec(jar.get(name) ?? "") ?? []
  return reference !== undefined && shown === code ? { reference, errorProvider, providerError } : null
}
