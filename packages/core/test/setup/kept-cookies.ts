import { type CookieJar, encodeCookieValue, readCookies } from "../../src/http/cookies.js"
import type { ResponseCookie } from "../../src/types/http.js"

/** The cookies that a browser keeps for one site. Cleared cookies are removed; expiry dates are ignored. */
export interface KeptCookies {
  keep(cookies: readonly ResponseCookie[] | undefined): void
  set(name: string, value: string): void
  get(name: string): string | undefined
  names(): readonly string[]
  /** The `Cookie` header of the next request. */
  header(): string
  jar(): CookieJar
}

export function keptCookies(initial: Readonly<Record<string, string>> = {}): KeptCookies {
  const values = new Map(Object.entries(initial))
  const header = () => [...values].map(([name, value]) => `${name}=${encodeCookieValue(value)}`).join("; ")
  return {
    keep(cookies = []) {
      for (const { name, value, options } of cookies) {
        if (options.maxAge === 0) values.delete(name)
        else values.set(name, value)
      }
    },
    set: (name, value) => void values.set(name, value),
    get: (name) => values.get(name),
    names: () => [...values.keys()],
    header,
    jar: () => readCookies(header()),
  }
}
