import type { CookieJar } from "./cookie-jar.js"
import { allowsFormAction, type FilledFields, type Form, submitForm } from "./form.js"
import { type Network, navigate, send } from "./navigation.js"
import { createPage, findSelfSubmittingForm, type Page, toInitiator } from "./page.js"
import { type BrowserRequest, defaultReferrerPolicy, type Initiator, type RequestBody } from "./request.js"

/** Options of a request that a test makes itself. */
export interface RequestOptions {
  /** Default: GET, or POST with a body. */
  readonly method?: string | undefined
  /** Take precedence over the browser's own headers, `Cookie` and `Origin` included. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: RequestBody | undefined
  /** A JSON body, instead of `body`. */
  readonly json?: unknown
  /**
   * URL or origin of the page that makes the request; one of another site makes it cross-site. Default for
   * {@link Tab.open}: the address bar for GET, the app for other methods; for {@link Tab.fetch}: the app.
   */
  readonly from?: string | URL | undefined
}

/** A tab of a browser. */
export interface Tab {
  /** The page that the tab shows. Null before the first navigation. */
  readonly page: Page | null
  /**
   * Navigates to a URL and follows redirects across the origins of the network.
   * @param url Absolute, or relative to the app's origin.
   */
  open(url: string | URL, options?: RequestOptions): Promise<Page>
  /**
   * Fills in a form of the current page and submits it.
   * @param form The form, or a CSS selector of it.
   * @param press Text, name or value of the button to press. Default: the first button.
   * @throws Error if the form has no such field or button, or the page's Content-Security-Policy does not allow the target.
   */
  submit(form: Form | string, fields?: FilledFields, press?: string): Promise<Page>
  /**
   * Follows a link of the current page.
   * @throws Error if no link matches the selector.
   */
  click(selector: string): Promise<Page>
  /**
   * Sends a request as a script of the page would, with cookies. Redirects are not followed.
   * @throws TypeError if no handler serves the origin.
   */
  fetch(url: string | URL, options?: RequestOptions): Promise<Response>
}

interface TabOptions {
  readonly app: URL
  readonly jar: CookieJar
  readonly network: Network
}

const maxSelfSubmissions = 5

/** Creates an empty tab. */
export function createTab({ app, jar, network }: TabOptions): Tab {
  const connection = { jar, network }
  let page: Page | null = null

  async function show(request: BrowserRequest, policies: string | null): Promise<Page> {
    const allows = (target: URL) => request.from === null || allowsFormAction(policies, request.from.url, target)
    page = await createPage(await navigate(request, connection, allows))
    return page
  }

  async function arrive(request: BrowserRequest, policies: string | null): Promise<Page> {
    let shown = await show(request, policies)
    for (let count = 0; count < maxSelfSubmissions; count++) {
      const form = findSelfSubmittingForm(shown)
      if (!form) break
      shown = await show(toFormRequest(shown, form, {}), formPolicies(shown))
    }
    return shown
  }

  function shownPage(): Page {
    if (!page) throw new Error("The tab shows no page. Call open() first")
    return page
  }

  return {
    get page() {
      return page
    },
    open: (url, options = {}) => arrive(toRequest(new URL(url, app), options, { app, mode: "navigate" }), null),
    async submit(form, fields = {}, press = undefined) {
      const shown = shownPage()
      const found = typeof form === "string" ? shown.form(form) : form
      return arrive(toFormRequest(shown, found, fields, press), formPolicies(shown))
    },
    async click(selector) {
      const shown = shownPage()
      const href = shown.find(selector)?.attribute("href")
      if (href === undefined) throw new Error(`The page ${shown.url.pathname} has no link ${selector}`)
      return arrive({ ...emptyRequest, chain: [new URL(href, shown.url)], from: toInitiator(shown) }, null)
    },
    async fetch(url, options = {}) {
      const request = toRequest(new URL(url, app), options, { app, mode: "cors" })
      const response = await send(request, connection)
      if (!response)
        throw new TypeError(`No handler serves ${request.chain[0].origin}. Add it to the browser's network`)
      return response
    },
  }
}

const emptyRequest: Omit<BrowserRequest, "chain" | "from"> = {
  method: "GET",
  headers: new Headers(),
  body: null,
  mode: "navigate",
}

function toRequest(
  url: URL,
  options: RequestOptions,
  { app, mode }: { readonly app: URL; readonly mode: BrowserRequest["mode"] },
): BrowserRequest {
  const headers = new Headers(options.headers)
  const isJson = options.json !== undefined
  if (isJson && !headers.has("content-type")) headers.set("content-type", "application/json")
  const body = isJson ? JSON.stringify(options.json) : (options.body ?? null)
  const method = (options.method ?? (body === null ? "GET" : "POST")).toUpperCase()
  const isTyped = mode === "navigate" && (method === "GET" || method === "HEAD")
  const from = options.from ?? (isTyped ? null : app)
  return { chain: [url], method, headers, body, mode, from: from === null ? null : toDefaultInitiator(new URL(from)) }
}

function toDefaultInitiator(url: URL): Initiator {
  return { url, referrerPolicy: defaultReferrerPolicy }
}

function toFormRequest(page: Page, form: Form, fields: FilledFields, press?: string): BrowserRequest {
  const { method, url, body, contentType } = submitForm(form, fields, press)
  const headers = new Headers(contentType === null ? {} : { "content-type": contentType })
  return { method, chain: [url], headers, body, from: toInitiator(page), mode: "navigate" }
}

function formPolicies(page: Page): string | null {
  return page.headers.get("content-security-policy")
}
