import { type AuthClient, createAuthClient } from "../../packages/testkit/src/browser/auth-client.js"
import { type CookieJar, createCookieJar } from "../../packages/testkit/src/browser/cookie-jar.js"
import type { Handler } from "../../packages/testkit/src/browser/navigation.js"
import { createTab, type Tab } from "../../packages/testkit/src/browser/tab.js"
import { agentMark, type Identity, type Person, siblingOrigin } from "./people.js"

/** A tab with the client library of the app's pages. */
export interface VisitorTab extends Tab, AuthClient {}

/** A form that was sent to the app. */
export interface SentForm {
  readonly url: string
  readonly body: URLSearchParams
  /** `navigate`, or `cors` for a script's request. */
  readonly mode: string
}

/** The browser of one person. */
export interface VisitorBrowser {
  readonly person: Person
  /** Where its requests come from now. */
  readonly network: { address: string }
  readonly jar: CookieJar
  readonly tabs: readonly VisitorTab[]
  /** Whether the service can tell where its requests come from. */
  readonly isNetworkKnown: boolean
  /** Name of the session cookie. */
  readonly sessionCookie: string
  /** A provider with `checks: ["none"]`: anyone can sign a browser in with an account of their own. */
  readonly uncheckedProvider: string | null
  /** Who is signed in at each provider, if not the usual identity. */
  readonly identities: Map<string, Identity>
  /** The callback URLs that it visited, for Back. */
  readonly history: string[]
  /** The addresses at which it opened a native app. */
  readonly arrivals: string[]
  /** The forms that its person sent to the app, to send them again. */
  readonly forms: SentForm[]
  newTab(): VisitorTab
  /**
   * Loads a URL in a frame of a page of another origin, and follows its redirects: cookies are sent and stored as with
   * any request that does not change the address bar.
   */
  openFrame(url: string, options: FrameOptions): Promise<void>
  /** What a page of the sibling subdomain can do: set a cookie, by the browser's own rules. */
  plant(cookie: string): void
}

interface FrameOptions {
  /** Origin of the page that has the frame. */
  readonly from: string
  /** A form that the page sends into the frame. */
  readonly body?: URLSearchParams
}

interface BrowserPlace {
  readonly person: Person
  readonly app: URL
  readonly isNetworkKnown: boolean
  readonly sessionCookie: string
  readonly uncheckedProvider: string | null
  /** Serves every origin for this browser. */
  serve(browser: VisitorBrowser, request: Request): Response | Promise<Response>
  readonly origins: readonly string[]
}

export function createVisitorBrowser({ serve, origins, app, ...facts }: BrowserPlace): VisitorBrowser {
  const jar = createCookieJar()
  const tabs: VisitorTab[] = []
  const handler: Handler = (request) => serve(browser, withAgent(request))
  const network = Object.fromEntries(origins.map((origin) => [origin, handler]))
  const frameHandler: Handler = (request) => serve(browser, asFrame(withAgent(request)))
  const frameNetwork = Object.fromEntries(origins.map((origin) => [origin, frameHandler]))
  const browser: VisitorBrowser = {
    ...facts,
    network: { address: facts.person.address },
    jar,
    tabs,
    identities: new Map(),
    history: [],
    arrivals: [],
    forms: [],
    newTab() {
      const tab = createTab({ app, jar, network })
      const client = createAuthClient(tab, { app, basePath: "/auth" })
      // The page changes, so it stays a getter.
      const made: VisitorTab = Object.defineProperty({ ...client, ...tab }, "page", { get: () => tab.page })
      tabs.push(made)
      return made
    },
    async openFrame(url, { from, body }) {
      const frame = createTab({ app, jar, network: frameNetwork })
      let response = await frame.fetch(url, { from, ...(body && { body, method: "POST" }) })
      for (let hops = 0; hops < 10 && response.status < 400; hops++) {
        const location = response.headers.get("location")
        if (location === null) return
        response = await frame.fetch(new URL(location, app), { from })
      }
    },
    plant: (cookie) => jar.store(cookie, { url: new URL(`${siblingOrigin}/`), isCrossSiteScript: false }),
  }
  browser.newTab()
  return browser
}

/** The request of a browser that says which one it is. */
function withAgent(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set("user-agent", `Mozilla/5.0 (X11; Linux x86_64) ${agentMark}/1.0`)
  return new Request(request, { headers })
}

/** A frame navigates, but has the cookies of a request by a script: its site is not in the address bar. */
function asFrame(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set("sec-fetch-mode", "navigate")
  headers.set("sec-fetch-dest", "iframe")
  headers.set("accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
  if (request.method === "GET") headers.delete("origin")
  return new Request(request, { headers })
}
