import { isSameSite } from "./cookie-jar.js"

/** The body of a request. Not a stream: a redirect can send the body again. */
export type RequestBody = string | URLSearchParams | FormData | Uint8Array<ArrayBuffer>

/** The page that makes a request. */
export interface Initiator {
  readonly url: URL
  /** The page's `Referrer-Policy`. */
  readonly referrerPolicy: string
}

/** A request of a browser, before cookies and the browser's own headers are added. */
export interface BrowserRequest {
  readonly method: string
  /** The URLs of the redirects so far; the last one is requested now. */
  readonly chain: readonly [URL, ...URL[]]
  readonly headers: Headers
  readonly body: RequestBody | null
  /** Null for a URL typed into the address bar. */
  readonly from: Initiator | null
  /** `navigate` for a navigation, `cors` for a request by a script. */
  readonly mode: "navigate" | "cors"
}

/** The URL that is requested now. */
export function destinationOf({ chain }: BrowserRequest): URL {
  return chain.at(-1) ?? chain[0]
}

/** The browser's default, W3C Referrer Policy section 3. */
export const defaultReferrerPolicy = "strict-origin-when-cross-origin"

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

/** The request that follows a redirect, Fetch section 4.4. Null if the response does not redirect. */
export function followRedirect(request: BrowserRequest, response: Response): BrowserRequest | null {
  const location = response.headers.get("location")
  if (location === null || !redirectStatuses.includes(response.status)) return null
  const from = destinationOf(request)
  const to = new URL(location, from)
  if (to.hash === "") to.hash = from.hash
  const becomesGet =
    response.status === 303 ? request.method !== "HEAD" : response.status <= 302 && request.method === "POST"
  const chain: BrowserRequest["chain"] = [...request.chain, to]
  const headers = headersAfterRedirect(request.headers, { isSameOrigin: from.origin === to.origin, becomesGet })
  return becomesGet ? { ...request, chain, headers, method: "GET", body: null } : { ...request, chain, headers }
}

function headersAfterRedirect(
  headers: Headers,
  change: { readonly isSameOrigin: boolean; readonly becomesGet: boolean },
): Headers {
  const kept = new Headers(change.isSameOrigin ? headers : {})
  kept.delete("cookie")
  const contentType = headers.get("content-type")
  if (contentType !== null) kept.set("content-type", contentType)
  if (change.becomesGet) kept.delete("content-type")
  return kept
}

type SiteRelation = "none" | "same-origin" | "same-site" | "cross-site"

/** The value of `Sec-Fetch-Site`: the page compared with every URL of the chain, W3C Fetch Metadata section 2.3. */
export function siteRelation({ chain, from }: BrowserRequest): SiteRelation {
  if (!from) return "none"
  if (!chain.every((url) => isSameSite(url, from.url))) return "cross-site"
  return chain.every((url) => url.origin === from.url.origin) ? "same-origin" : "same-site"
}

/** Adds the headers that a browser sends by itself. Headers of the request take precedence. */
export function addBrowserHeaders(request: BrowserRequest, cookie: string): Headers {
  const headers = new Headers(request.headers)
  const isNavigation = request.mode === "navigate"
  const own: Readonly<Record<string, string | null>> = {
    accept: isNavigation ? "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" : "*/*",
    cookie: cookie || null,
    origin: originOf(request),
    referer: refererOf(request),
    "sec-fetch-dest": isNavigation ? "document" : "empty",
    "sec-fetch-mode": request.mode,
    "sec-fetch-site": siteRelation(request),
    "sec-fetch-user": isNavigation ? "?1" : null,
    "upgrade-insecure-requests": isNavigation ? "1" : null,
  }
  for (const [name, value] of Object.entries(own)) if (value !== null && !headers.has(name)) headers.set(name, value)
  return headers
}

/** Fetch section 3.2: no `Origin` for same-origin GET and HEAD; `null` if the referrer policy hides it. */
function originOf(request: BrowserRequest): string | null {
  const { from, method, mode } = request
  const to = destinationOf(request)
  if (!from) return null
  const isSafe = method === "GET" || method === "HEAD"
  if (mode === "cors") return isSafe && siteRelation(request) === "same-origin" ? null : untaintedOrigin(request, from)
  if (isSafe) return null
  return hidesOrigin(from, to) ? "null" : untaintedOrigin(request, from)
}

/** `null` after a redirect from an origin that is neither the page's nor the next one's, Fetch section 2.2.5. */
function untaintedOrigin({ chain }: BrowserRequest, from: Initiator): string {
  const isTainted = chain.some((url, step) => {
    const previous = chain[step - 1]
    return previous !== undefined && previous.origin !== url.origin && previous.origin !== from.url.origin
  })
  return isTainted ? "null" : from.url.origin
}

function hidesOrigin({ url, referrerPolicy }: Initiator, to: URL): boolean {
  if (referrerPolicy === "no-referrer") return true
  if (referrerPolicy === "same-origin") return url.origin !== to.origin
  const isAlwaysShown =
    referrerPolicy === "unsafe-url" || referrerPolicy === "origin" || referrerPolicy === "origin-when-cross-origin"
  return !isAlwaysShown && isDowngrade(url, to)
}

const full = (from: URL): string => {
  const shown = new URL(from)
  shown.hash = ""
  shown.username = ""
  shown.password = ""
  return shown.href
}
const originOnly = (from: URL): string => `${from.origin}/`
const isDowngrade = (from: URL, to: URL): boolean => from.protocol === "https:" && to.protocol !== "https:"

/** W3C Referrer Policy section 8.3, by policy. */
const referers: Readonly<Record<string, (from: URL, to: URL) => string | null>> = {
  "no-referrer": () => null,
  "no-referrer-when-downgrade": (from, to) => (isDowngrade(from, to) ? null : full(from)),
  origin: originOnly,
  "origin-when-cross-origin": (from, to) => (from.origin === to.origin ? full(from) : originOnly(from)),
  "same-origin": (from, to) => (from.origin === to.origin ? full(from) : null),
  "strict-origin": (from, to) => (isDowngrade(from, to) ? null : originOnly(from)),
  "strict-origin-when-cross-origin": (from, to) => {
    if (from.origin === to.origin) return full(from)
    return isDowngrade(from, to) ? null : originOnly(from)
  },
  "unsafe-url": full,
}

function refererOf(request: BrowserRequest): string | null {
  if (!request.from) return null
  const { url, referrerPolicy } = request.from
  const policy = referers[referrerPolicy] ?? referers[defaultReferrerPolicy]
  return policy?.(url, destinationOf(request)) ?? null
}
