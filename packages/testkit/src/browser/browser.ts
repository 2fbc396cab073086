import { withoutUndefined } from "../adapter/memory-table.js"
import { type AuthClient, createAuthClient } from "./auth-client.js"
import { type CookieJar, createCookieJar, type RefusedCookie, type StoredCookie } from "./cookie-jar.js"
import type { Handler, Network } from "./navigation.js"
import type { SameSite } from "./set-cookie.js"
import { createTab, type Tab } from "./tab.js"

/** Options of {@link createBrowser}. */
export interface BrowserOptions {
  /** The app under test. Use {@link overHttp} for an app that listens on a port. */
  readonly handler: Handler
  /** The app's origin. Default: `https://app.test`. */
  readonly origin?: string | undefined
  /** Path under which the app mounts Latchkey. Default: `/auth`. */
  readonly basePath?: string | undefined
  /** Handlers of other origins. */
  readonly network?: Network | undefined
}

/** One tab of a test browser. The tabs of a browser share their cookies. */
export interface Browser extends Tab, AuthClient {
  /** The app's origin. */
  readonly origin: string
  /** The cookies that all tabs share. */
  readonly cookies: BrowserCookies
  /** All tabs of this browser, oldest first. */
  readonly tabs: readonly Browser[]
  /** Opens an empty tab with the same cookies. */
  newTab(): Browser
}

/**
 * Creates a browser for tests. It keeps cookies by the rules of RFC 6265bis, follows redirects across origins, submits
 * forms, and sends `Origin`, `Referer` and `Sec-Fetch-*` as browsers do. It runs in memory; only a handler such as
 * {@link overHttp} reaches the network.
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

/** The browser's cookies, to inspect and to tamper with. Values are as on the wire. */
export interface BrowserCookies {
  /** Returns the value of the first cookie with this name, or undefined. */
  get(name: string): string | undefined
  /** Returns the first cookie with this name, or undefined. */
  find(name: string): StoredCookie | undefined
  /**
   * Writes a cookie without applying the storage rules.
   * @param attributes Default: those of the existing cookie with this name, or of a host-only, `HttpOnly`, `SameSite=Lax`
   * cookie for all paths of the app.
   */
  set(name: string, value: string, attributes?: CookieAttributes): void
  /** Deletes every cookie with this name. */
  delete(name: string): void
  /** Deletes all cookies. */
  clear(): void
  /** Deletes session cookies, as closing the browser does. */
  endBrowserSession(): void
  /** Lists the cookies that have not expired: longest path first, then oldest first. */
  list(): readonly StoredCookie[]
  /** Lists the names of the cookies, in the same order. */
  names(): readonly string[]
  /** Returns `document.cookie` as scripts of the app see it, without `HttpOnly` cookies. */
  visibleToScripts(): string
  /** The cookies that the browser rejected, each with the rule that it broke. */
  readonly refused: readonly RefusedCookie[]
}

/** Attributes of a cookie that a test writes itself. */
export interface CookieAttributes {
  /** Makes it a domain cookie instead of a host-only one. */
  readonly domain?: string | undefined
  readonly path?: string | undefined
  readonly isSecure?: boolean | undefined
  readonly isHttpOnly?: boolean | undefined
  readonly sameSite?: SameSite | undefined
  /** Null: until the browser is closed. */
  readonly expiresAt?: Date | null | undefined
}

function browserCookies(jar: CookieJar, app: URL): BrowserCookies {
  const find = (name: string) => jar.list().find((cookie) => cookie.name === name)
  return {
    refused: jar.refused,
    find,
    get: (name) => find(name)?.value,
    set(name, value, attributes = {}) {
      const existing = find(name) ?? defaultCookie(name, app)
      const scope = attributes.domain === undefined ? {} : { isHostOnly: false }
      jar.put({ ...existing, ...scope, ...withoutUndefined<StoredCookie>(attributes), value })
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

function defaultCookie(name: string, app: URL): StoredCookie {
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
