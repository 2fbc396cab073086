import { type AuthClient, createAuthClient } from "./auth-client.js"
import { type BrowserCookies, browserCookies } from "./browser-cookies.js"
import { createCookieJar } from "./cookie-jar.js"
import type { Handler, Network } from "./network.js"
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
