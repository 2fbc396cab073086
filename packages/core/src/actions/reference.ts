import type { CookieOption } from "../contract/cookies.js"
import type { ResponseCookie } from "../contract/response.js"
import type { AuthError } from "../errors/auth-error.js"
import type { CookieJar } from "../web/cookie-jar.js"

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
export interface FoundReference {
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
