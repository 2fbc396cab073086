import type { CookieJar } from "./cookie-jar.js"
import { allowsFormAction, type FilledFields, type Form, submitForm } from "./form.js"
import { type Network, navigate, send } from "./navigation.js"
import { createPage, findSelfSubmittingForm, type Page, toInitiator } from "./page.js"
import { defaultReferrerPolicy, type Initiator, type Trip, type TripBody } from "./request.js"

/** A request that a test words itself. */
export interface RequestOptions {
  /** Default: GET, or POST when there is something to send. */
  readonly method?: string
  /** Win over what the browser would send, `Cookie` and `Origin` included. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: TripBody
  /** Sent as JSON instead of `body`. */
  readonly json?: unknown
  /**
   * The page that asks, as its URL or origin; a foreign one makes the request cross-site. Default for {@link Tab.open}:
   * the address bar for GET, else the app; for {@link Tab.fetch}: the app.
   */
  readonly from?: string | URL
}

/** What one tab of a browser shows, and what can be done in it. */
export interface Tab {
  /** What the tab shows. Null before the first page. */
  readonly page: Page | null
  /**
   * Goes to an address and follows redirects, through the origins of the network and back.
   * @param url Absolute, or relative to the app's origin.
   */
  open(url: string | URL, options?: RequestOptions): Promise<Page>
  /**
   * Submits a form of the page that the tab shows, as a person would who fills in `fields`.
   * @param form The form, or a selector of it.
   * @param press Text, name or value of the button to press. Default: the first one.
   * @throws Error when the form has no such field or button, or the page's Content-Security-Policy forbids it.
   */
  submit(form: Form | string, fields?: FilledFields, press?: string): Promise<Page>
  /**
   * Follows a link of the page that the tab shows.
   * @throws Error when there is no such link.
   */
  click(selector: string): Promise<Page>
  /**
   * A script's request. Redirects are not followed; cookies go along and are kept.
   * @throws TypeError when nobody answers at that origin.
   */
  fetch(url: string | URL, options?: RequestOptions): Promise<Response>
}

interface TabNeeds {
  readonly app: URL
  readonly jar: CookieJar
  readonly network: Network
}

const mostSelfSubmissions = 5

export function createTab({ app, jar, network }: TabNeeds): Tab {
  const world = { jar, network }
  let page: Page | null = null

  async function show(trip: Trip, policies: string | null): Promise<Page> {
    const allows = (target: URL) => trip.from === null || allowsFormAction(policies, trip.from.url, target)
    page = await createPage(await navigate(trip, world, allows))
    return page
  }

  async function arrive(trip: Trip, policies: string | null): Promise<Page> {
    let shown = await show(trip, policies)
    for (let count = 0; count < mostSelfSubmissions; count++) {
      const form = findSelfSubmittingForm(shown)
      if (!form) break
      shown = await show(toFormTrip(shown, form, {}), formPolicies(shown))
    }
    return shown
  }

  function shownPage(): Page {
    if (!page) throw new Error("The tab shows no page yet: open one first")
    return page
  }

  return {
    get page() {
      return page
    },
    open: (url, options = {}) => arrive(toTrip(new URL(url, app), options, { app, mode: "navigate" }), null),
    async submit(form, fields = {}, press = undefined) {
      const shown = shownPage()
      const found = typeof form === "string" ? shown.form(form) : form
      return arrive(toFormTrip(shown, found, fields, press), formPolicies(shown))
    },
    async click(selector) {
      const shown = shownPage()
      const href = shown.find(selector)?.attribute("href")
      if (href === undefined) throw new Error(`The page ${shown.url.pathname} has no link ${selector}`)
      return arrive({ ...emptyTrip, chain: [new URL(href, shown.url)], from: toInitiator(shown) }, null)
    },
    async fetch(url, options = {}) {
      const trip = toTrip(new URL(url, app), options, { app, mode: "cors" })
      const response = await send(trip, world)
      if (!response) throw new TypeError(`Nobody answers at ${trip.chain[0].origin}: add it to the network`)
      return response
    },
  }
}

const emptyTrip: Omit<Trip, "chain" | "from"> = { method: "GET", headers: new Headers(), body: null, mode: "navigate" }

function toTrip(
  url: URL,
  options: RequestOptions,
  { app, mode }: { readonly app: URL; readonly mode: Trip["mode"] },
): Trip {
  const headers = new Headers(options.headers)
  const isJson = options.json !== undefined
  if (isJson && !headers.has("content-type")) headers.set("content-type", "application/json")
  const body = isJson ? JSON.stringify(options.json) : (options.body ?? null)
  const method = (options.method ?? (body === null ? "GET" : "POST")).toUpperCase()
  const isTyped = mode === "navigate" && (method === "GET" || method === "HEAD")
  const from = options.from ?? (isTyped ? null : app)
  return { chain: [url], method, headers, body, mode, from: from === null ? null : toPlainPage(new URL(from)) }
}

function toPlainPage(url: URL): Initiator {
  return { url, referrerPolicy: defaultReferrerPolicy }
}

function toFormTrip(page: Page, form: Form, fields: FilledFields, press?: string): Trip {
  const { method, url, body, contentType } = submitForm(form, fields, press)
  const headers = new Headers(contentType === null ? {} : { "content-type": contentType })
  return { method, chain: [url], headers, body, from: toInitiator(page), mode: "navigate" }
}

function formPolicies(page: Page): string | null {
  return page.headers.get("content-security-policy")
}
