import type { ActionContext } from "../actions/context.js"
import { createSealer, type SealedClaims } from "../crypto/seal.js"
import { type CookieJar, clearedCookie } from "../http/cookies.js"
import { systemClock } from "../runtime/promise.js"
import type { CookieOption, ResponseCookie } from "../types/http.js"

/** A value that one browser keeps for the service, and cannot read or change. */
export interface SealedCookie<Value extends SealedClaims> {
  /** Null if the value is too large for a cookie. */
  write(value: Value): Promise<ResponseCookie | null>
  /** All values that the browser has, the newest path first; a neighboring site may have planted some. */
  read(jar: CookieJar): Promise<readonly Partial<Record<keyof Value, unknown>>[]>
  /** The cookies that remove it, if the browser has it. */
  clear(jar: CookieJar): readonly ResponseCookie[]
}

interface SealedCookieOptions {
  /** The name without a prefix, such as `authjs.hint`. */
  readonly name: string
  /** What the value is for, with a colon, as `Sealer` requires. */
  readonly purpose: string
  readonly seconds: number
}

/** Characters of name and value that every browser accepts: RFC 6265bis section 5.6. */
const maxCookieLength = 4096

export function sealedCookie<Value extends SealedClaims>(
  { name, purpose, seconds }: SealedCookieOptions,
  { secrets, referenceCookie }: Pick<ActionContext, "secrets" | "referenceCookie">,
): SealedCookie<Value> {
  const isSecure = referenceCookie.options.secure === true
  const sealer = createSealer(secrets, systemClock)
  const cookie: CookieOption = {
    // With this prefix no neighboring site can plant it.
    name: `${isSecure ? "__Host-" : ""}${name}`,
    options: { httpOnly: true, sameSite: "lax", path: "/", secure: isSecure },
  }
  return {
    async write(sealed) {
      const value = await sealer.seal(purpose, sealed, seconds)
      if (cookie.name.length + value.length > maxCookieLength) return null
      const expires = new Date(systemClock() + seconds * 1000)
      return { ...cookie, value, options: { ...cookie.options, expires } }
    },
    async read(jar) {
      const opened = await Promise.all(jar.values(cookie.name).map((value) => sealer.open(purpose, value)))
      // as: only this service seals values for the purpose.
      return opened.filter((value) => value !== null) as Partial<Record<keyof Value, unknown>>[]
    },
    clear: (jar) => (jar.get(cookie.name) === undefined ? [] : [clearedCookie(cookie)]),
  }
}
