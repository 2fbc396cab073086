import { type AuthClient, createAuthClient } from "../browser/auth-client.js"
import { type CookieJar, createCookieJar } from "../browser/cookie-jar.js"
import type { Handler } from "../browser/navigation.js"
import { createTab, type Tab } from "../browser/tab.js"
import { type Person, siblingOrigin } from "./people.js"
import type { Identity } from "./provider.js"

/** A tab with the client library of the app's pages. */
export interface VisitorTab extends Tab, AuthClient {}

/** The browser of one person. */
export interface VisitorBrowser {
  readonly person: Person
  /** Where its requests come from now. */
  readonly network: { address: string }
  readonly jar: CookieJar
  readonly tabs: readonly VisitorTab[]
  /** Whether the service can tell where its requests come from. */
  readonly isNetworkKnown: boolean
  /** Wrong passwords for one account after which strangers are refused. */
  readonly accountLimit: number
  /** A provider with `checks: ["none"]`: anyone can sign a browser in with an account of their own. */
  readonly uncheckedProvider: string | null
  /** Who is signed in at each provider, if not the usual identity. */
  readonly identities: Map<string, Identity>
  /** The callback URLs that it visited, for Back. */
  readonly history: string[]
  newTab(): VisitorTab
  /** What a page of the sibling subdomain can do: set a cookie, by the browser's own rules. */
  plant(cookie: string): void
}

interface BrowserPlace {
  readonly person: Person
  readonly app: URL
  readonly isNetworkKnown: boolean
  readonly accountLimit: number
  readonly uncheckedProvider: string | null
  /** Serves every origin for this browser. */
  serve(browser: VisitorBrowser, request: Request): Response | Promise<Response>
  readonly origins: readonly string[]
}

export function createVisitorBrowser({ serve, origins, app, ...facts }: BrowserPlace): VisitorBrowser {
  const jar = createCookieJar()
  const tabs: VisitorTab[] = []
  const handler: Handler = (request) => serve(browser, request)
  const network = Object.fromEntries(origins.map((origin) => [origin, handler]))
  const browser: VisitorBrowser = {
    ...facts,
    network: { address: facts.person.address },
    jar,
    tabs,
    identities: new Map(),
    history: [],
    newTab() {
      const tab = createTab({ app, jar, network })
      const client = createAuthClient(tab, { app, basePath: "/auth" })
      // The page changes, so it stays a getter.
      const made: VisitorTab = Object.defineProperty({ ...client, ...tab }, "page", { get: () => tab.page })
      tabs.push(made)
      return made
    },
    plant: (cookie) => jar.store(cookie, { url: new URL(`${siblingOrigin}/`), isCrossSiteScript: false }),
  }
  browser.newTab()
  return browser
}
