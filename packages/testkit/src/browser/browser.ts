import { type AuthClient, createAuthClient } from "./auth-client.js"
import { type CookieJar, createCookieJar, type RefusedCookie, type StoredCookie } from "./cookie-jar.js"
import type { Handler, Network } from "./navigation.js"
import type { SameSite } from "./set-cookie.js"
import { createTab, type Tab } from "./tab.js"

/** How a browser is set up. */
export interface BrowserOptions {
  /** The app. {@link overHttp} for one that listens on a port. */
  readonly handler: Handler
  /** Where the app stands. Default: `https://app.test`. */
  readonly origin?: string
  /** Where the app mounts the service. Default: `/auth`. */
  readonly basePath?: string
  /** Who answers at other origins. */
  readonly network?: Network
}

/** One tab of a browser. Tabs of one browser share their cookies. */
export interface Browser extends Tab, AuthClient {
  readonly origin: string
  readonly cookies: BrowserCookies
  /** All tabs of this browser, the oldest first. */
  readonly tabs: readonly Browser[]
  newTab(): Browser
}

/**
 * A browser for tests: keeps cookies by the rules of RFC 6265bis, follows redirects from origin to origin, submits
 * forms, sends
 * `Origin`, `Referer` and `Sec-Fetch-*` as browsers do. Everything runs in memory unless a handler of the network does otherwise.
 * @example
 * const browser = createBrowser({ handler: app.fetch, network: { [idp.origin]: idp.handler } })
 * await browser.signIn("oidc")
 * expect((await browser.session())?.user?.email).toBe("ada@example.com")
 */
export function createBrowser(options: BrowserOptions): Browser {
  const app = new URL(options.origin ?? "https://app.test")
  const jar = createCookieJar()
  const cookies = browserCookies(jar, app)
  const network = { ...options.network, [app.origin]: options.handler }
  const tabs: Browser[] = []

  function newTab(): Browser {
    const tab = createTab({ app, jar, network })
    const client = createAuthClient(tab, { app, basePath: options.basePath ?? "/auth" })
    const browser: Browser = {
      ...client,
      get page() {
        return tab.page
      },
      open: tab.open,
      submit: tab.submit,
      click: tab.click,
      fetch: tab.fetch,
      origin: app.origin,
      cookies,
      tabs,
      newTab,
    }
    tabs.push(browser)
    return browser
  }

  return newTab()
}

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

function browserCookies(jar: CookieJar, app: URL): BrowserCookies {
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
