import { type AuthError, type AuthErrorType, type ErrorKind, getErrorPage } from "../errors/auth-error.js"
import type { CookieJar } from "../http/cookies.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

// The content of the reference cookie. Loaded with the first failure, and with the first page that shows one.

const pattern = /^([0-9A-Z]{4}-[0-9A-Z]{2}):([A-Za-z]+):([\w.~-]*):([\w.~-]*)$/

/** Sets the reference cookie for an error. */
export function toReferenceCookie(cookie: CookieOption, error: AuthError, code: string): ResponseCookie {
  const parts = [error.reference, code, textOf(error, "provider"), findDetail(error)]
  return { ...cookie, value: parts.join(":") }
}

/** Failures that the visitor's own URL can cause. */
const visitorDetails: Partial<Readonly<Record<AuthErrorType, string>>> = {
  InvalidCheck: "stale-flow",
  InvalidProvider: "invalid-link",
  UnknownAction: "invalid-link",
}

/** What the page says beyond the error: see `findErrorMessage`. */
function findDetail(error: AuthError): string {
  if (error.type === "EmailSignInError") return error.cause?.["concerns"] === "provider" ? "service" : "address"
  // While an action runs, only the provider that was chosen can be misconfigured.
  if (getErrorPage(error).concerns === "config") return "not-set-up"
  return visitorDetails[error.type] ?? textOf(error, "error")
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
  /** The provider's error code, RFC 6749 section 4.1.2.1, or another code of `findErrorMessage`. */
  readonly providerError: string | undefined
}

/** The reference of the error that a page shows. */
export function findReference({ name }: CookieOption, jar: CookieJar, code: string | null): FoundReference | null {
  const [, reference, shown, errorProvider, providerError] = pattern.exec(jar.get(name) ?? "") ?? []
  return reference !== undefined && shown === code ? { reference, errorProvider, providerError } : null
}

/** The path of a built-in page below the base path. */
export function toPagePath(page: ErrorKind): string {
  return page === "verifyRequest" ? "verify-request" : page.toLowerCase()
}
