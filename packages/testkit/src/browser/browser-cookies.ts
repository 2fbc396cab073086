import type { CookieJar, RefusedCookie } from "./cookie-jar.js"
import type { SameSite } from "./set-cookie.js"
import type { StoredCookie } from "./stored-cookie.js"

/** The browser's cookies, to look at and to tamper with. Values are as on the wire. */
export interface BrowserCookies {
  /** The value of the first cookie of this name. Undefined when there is none. */
  get(name: string): string | undefined
  find(name: string): StoredCookie | undefined
  /**
   * Puts a cookie there without asking whether a browser would take it. What `attributes` does not say stays as in the
   * cookie of this name, else it is that of a host-only cookie for all paths of the app.
   */
  set(name: string, value: string, attributes?: CookieAttributes): void
  delete(name: string): void
  clear(): void
  /** What closing the browser does: cookies without a lifetime go. */
  endBrowserSession(): void
  list(): readonly StoredCookie[]
  names(): readonly string[]
  /** What scripts of the app see in `document.cookie`: nothing that is `HttpOnly`. */
  visibleToScripts(): string
  /** The cookies that were set and not kept, with the rule against them. */
  readonly refused: readonly RefusedCookie[]
}

/** Attributes for a cookie that a test puts there itself. */
export interface CookieAttributes {
  readonly domain?: string
  readonly path?: string
  readonly isSecure?: boolean
  readonly isHttpOnly?: boolean
  readonly sameSite?: SameSite
  readonly expiresAt?: Date | null
}

export function browserCookies(jar: CookieJar, app: URL): BrowserCookies {
  const find = (name: string) => jar.list().find((cookie) => cookie.name === name)
  return {
    refused: jar.refused,
    find,
    get: (name) => find(name)?.value,
    set(name, value, { domain, ...attributes } = {}) {
      const before = find(name) ?? freshCookie(name, app)
      const place = domain === undefined ? {} : { domain, isHostOnly: false }
      jar.put({ ...before, ...place, ...attributes, value })
    },
    delete: (name) => jar.remove((cookie) => cookie.name === name),
    clear: () => jar.remove(() => true),
    endBrowserSession: () => jar.remove(({ expiresAt }) => expiresAt === null),
    list: jar.list,
    names: () => jar.list().map(({ name }) => name),
    visibleToScripts: () =>
      jar
        .list()
        .filter(({ domain, isHttpOnly }) => domain === app.hostname && !isHttpOnly)
        .map(({ name, value }) => `${name}=${value}`)
        .join("; "),
  }
}

function freshCookie(name: string, app: URL): StoredCookie {
  return {
    name,
    value: "",
    domain: app.hostname,
    isHostOnly: true,
    path: "/",
    isSecure: app.protocol === "https:",
    isHttpOnly: true,
    sameSite: "Lax",
    expiresAt: null,
  }
}
