import { AuthError, toError } from "../errors/auth-error.js"
import { InvalidRequest } from "../errors/errors.js"
import type { CookieJar } from "../http/cookies.js"
import { json, Refusal, type Reply } from "../http/response.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"
import { noStore } from "./context.js"

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

/** Long enough to load the error page, and too short to show up on a later one. */
const maxAgeSeconds = 5 * 60

const pattern = /^([0-9A-Z]{4}-[0-9A-Z]{2}):([A-Za-z]+):([\w.~-]*):([\w.~-]*)$/

/**
 * The cookie that passes an error's reference to the error page. The query has no room for it: its exact form is part of
 * the contract.
 */
export function referenceCookie({ isSecure }: { readonly isSecure: boolean }): CookieOption {
  const name = `${isSecure ? "__Secure-" : ""}authjs.error-reference`
  return { name, options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure, maxAge: maxAgeSeconds } }
}

/** Sets the reference cookie for an error. */
export function toReferenceCookie(cookie: CookieOption, error: AuthError, code: string): ResponseCookie {
  const parts = [error.reference, code, textOf(error, "provider"), findDetail(error)]
  return { ...cookie, value: parts.join(":") }
}

/** What the page says beyond the error: see `findErrorMessage`. */
function findDetail(error: AuthError): string {
  if (error.type !== "EmailSignInError") return textOf(error, "error")
  return error.cause?.["concerns"] === "provider" ? "service" : "address"
}

/** A detail of the cause that may be shown: the provider's id, or the provider's error code. */
function textOf(error: AuthError, detail: "provider" | "error"): string {
  const value = error.cause?.[detail]
  return typeof value === "string" && /^[\w.~-]{1,64}$/.test(value) ? value : ""
}

/** The reference cookie's content. Untrusted: a browser can send anything. */
interface FoundReference {
  readonly reference: string
  /** Id of the provider that failed. */
  readonly errorProvider: string | undefined
  /** The provider's error code, RFC 6749 section 4.1.2.1; for a mail, `address` or `service`. */
  readonly providerError: string | undefined
}

/** The reference of the error that a page shows. */
export function findReference({ name }: CookieOption, jar: CookieJar, code: string | null): FoundReference | null {
  const [, reference, shown, errorProvider, providerError] = pattern.exec(jar.get(name) ?? "") ?? []
  return reference !== undefined && shown === code ? { reference, errorProvider, providerError } : null
}
