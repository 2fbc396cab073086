import type { AuthError } from "../errors/auth-error.js"
import type { CookieOption } from "../contract/cookies.js"
import type { ResponseCookie } from "../contract/response.js"
import type { CookieJar } from "../web/cookie-jar.js"

/** Seconds. Long enough to read the page, short enough not to be found on a later one. */
const maxAge = 5 * 60

const pattern = /^([0-9A-Z]{4}-[0-9A-Z]{2}):([A-Za-z]+)(?::([\w.~-]+))?$/

/**
 * The cookie that takes an error's reference to the page on which the error ends. It is no part of the query, since the
 * pages of hosts and their tests know that query.
 */
export function referenceCookie(isSecure: boolean): CookieOption {
  const name = `${isSecure ? "__Secure-" : ""}authjs.error-reference`
  return { name, options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure, maxAge } }
}

export function toReferenceCookie(cookie: CookieOption, error: AuthError, code: string): ResponseCookie {
  const provider = error.cause?.["provider"]
  const parts = [error.reference, code, ...(typeof provider === "string" ? [provider] : [])]
  return { ...cookie, value: parts.join(":") }
}

export interface FoundReference {
  readonly reference: string
  /** Id of the provider that failed. Untrusted: a browser can send any. */
  readonly errorProvider: string | undefined
}

/** The reference that belongs to the error which a page shows. */
export function findReference({ name }: CookieOption, jar: CookieJar, code: string | null): FoundReference | null {
  const [, reference, shown, errorProvider] = pattern.exec(jar.get(name) ?? "") ?? []
  return reference !== undefined && shown === code ? { reference, errorProvider } : null
}
