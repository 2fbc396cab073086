import { isSameSite } from "./cookie-jar.js"

/** What a request may carry. Nothing that can be read only once, since a redirect may send it again. */
export type TripBody = string | URLSearchParams | FormData | Uint8Array<ArrayBuffer>

/** The page that causes a request. */
export interface Initiator {
  readonly url: URL
  /** The page's `Referrer-Policy`. */
  readonly referrerPolicy: string
}

/** One request of a browser, with all that led to it. */
export interface Trip {
  readonly method: string
  /** The addresses of the redirects so far, and at the end the one that is requested now. */
  readonly chain: readonly [URL, ...URL[]]
  readonly headers: Headers
  readonly body: TripBody | null
  /** Null: typed into the address bar. */
  readonly from: Initiator | null
  /** `navigate` changes the address bar, `cors` is a script's request. */
  readonly mode: "navigate" | "cors"
}

export function destinationOf({ chain }: Trip): URL {
  return chain.at(-1) ?? chain[0]
}

/** The browser's default, W3C Referrer Policy section 3. */
export const defaultReferrerPolicy = "strict-origin-when-cross-origin"

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

/** Where an answer sends the browser, Fetch section 4.4. Null when it is no redirect. */
export function followRedirect(trip: Trip, response: Response): Trip | null {
  const location = response.headers.get("location")
  if (location === null || !redirectStatuses.includes(response.status)) return null
  const from = destinationOf(trip)
  const to = new URL(location, from)
  if (to.hash === "") to.hash = from.hash
  const becomesGet = response.status === 303 ? trip.method !== "HEAD" : response.status <= 302 && trip.method === "POST"
  const chain: Trip["chain"] = [...trip.chain, to]
  const headers = headersAfterRedirect(trip.headers, { isSameOrigin: from.origin === to.origin, becomesGet })
  return becomesGet ? { ...trip, chain, headers, method: "GET", body: null } : { ...trip, chain, headers }
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

type Relation = "none" | "same-origin" | "same-site" | "cross-site"

/** How the page that asks and all addresses on the way stand to one another, W3C Fetch Metadata section 2.3. */
export function relationOf({ chain, from }: Trip): Relation {
  if (!from) return "none"
  if (!chain.every((url) => isSameSite(url, from.url))) return "cross-site"
  return chain.every((url) => url.origin === from.url.origin) ? "same-origin" : "same-site"
}

/** The headers that a browser adds of itself. What the trip names already stays. */
export function addBrowserHeaders(trip: Trip, cookie: string): Headers {
  const headers = new Headers(trip.headers)
  const isNavigation = trip.mode === "navigate"
  const own: Readonly<Record<string, string | null>> = {
    accept: isNavigation ? "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8" : "*/*",
    cookie: cookie || null,
    origin: originOf(trip),
    referer: refererOf(trip),
    "sec-fetch-dest": isNavigation ? "document" : "empty",
    "sec-fetch-mode": trip.mode,
    "sec-fetch-site": relationOf(trip),
    "sec-fetch-user": isNavigation ? "?1" : null,
    "upgrade-insecure-requests": isNavigation ? "1" : null,
  }
  for (const [name, value] of Object.entries(own)) if (value !== null && !headers.has(name)) headers.set(name, value)
  return headers
}

/** Fetch section 3.2: no `Origin` with GET and HEAD within a page's own origin, `null` where the policy hides it. */
function originOf(trip: Trip): string | null {
  const { from, method, mode } = trip
  const to = destinationOf(trip)
  if (!from) return null
  const isSafe = method === "GET" || method === "HEAD"
  if (mode === "cors") return isSafe && relationOf(trip) === "same-origin" ? null : untaintedOrigin(trip, from)
  if (isSafe) return null
  return hidesOrigin(from, to) ? "null" : untaintedOrigin(trip, from)
}

/** `null` once a redirect came from an origin that is neither the page's nor the next one's, Fetch section 2.2.5. */
function untaintedOrigin({ chain }: Trip, from: Initiator): string {
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
  return !isAlwaysShown && url.protocol === "https:" && to.protocol !== "https:"
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

function refererOf(trip: Trip): string | null {
  if (!trip.from) return null
  const { url, referrerPolicy } = trip.from
  const policy = referers[referrerPolicy] ?? referers[defaultReferrerPolicy]
  return policy?.(url, destinationOf(trip)) ?? null
}
