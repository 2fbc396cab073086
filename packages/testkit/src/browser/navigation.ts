import type { CookieJar } from "./cookie-jar.js"
import { addBrowserHeaders, destinationOf, followRedirect, relationOf, type Trip } from "./request.js"

/** Answers requests: an app, an identity provider, or whatever else stands at an origin. */
export type Handler = (request: Request) => Response | Promise<Response>

/** Who answers at which origin, such as `{ "https://idp.test": idp.handler }`. */
export type Network = Readonly<Record<string, Handler>>

/**
 * Sends requests over real HTTP, for an app that listens on a port. Redirects are left to the browser.
 * @example createBrowser({ handler: overHttp, origin: "http://127.0.0.1:3000" })
 */
export async function overHttp(request: Request): Promise<Response> {
  const hasBody = request.method !== "GET" && request.method !== "HEAD"
  return fetch(request.url, {
    method: request.method,
    headers: request.headers,
    body: hasBody ? await request.arrayBuffer() : null,
    redirect: "manual",
    signal: request.signal,
  })
}

/** One request and what came of it. `status` 0: nobody answers at that origin. */
export interface Hop {
  readonly method: string
  readonly url: URL
  readonly status: number
  readonly headers: Headers
}

/** The end of a navigation. */
export interface Arrival {
  readonly url: URL
  /** Null when nobody answers at that origin. */
  readonly response: Response | null
  readonly hops: readonly Hop[]
}

interface World {
  readonly jar: CookieJar
  readonly network: Network
}

const mostRedirects = 20

/** Sends one request as a browser would: cookies of the jar go along, cookies of the answer are kept. */
export async function send(trip: Trip, { jar, network }: World): Promise<Response | null> {
  const url = destinationOf(trip)
  const answer = network[url.origin]
  if (!answer) return null
  const isSameSite = relationOf(trip) !== "cross-site"
  const isTopLevel = trip.mode === "navigate"
  const cookie = jar.header({ url, method: trip.method, isSameSite, isTopLevel })
  const address = new URL(url)
  address.hash = ""
  const response = await answer(new Request(address, toInit(trip, cookie)))
  for (const header of response.headers.getSetCookie())
    jar.store(header, { url, isForeignScript: !isSameSite && !isTopLevel })
  return response
}

/**
 * Follows redirects to the end.
 * @param allows Whether the page that starts this lets it go there.
 * @throws Error after 20 redirects, or when `allows` refuses.
 */
export async function navigate(trip: Trip, world: World, allows: (target: URL) => boolean): Promise<Arrival> {
  const hops: Hop[] = []
  for (let current = trip; hops.length <= mostRedirects; ) {
    const url = destinationOf(current)
    if (!allows(url))
      throw new Error(`The form-action policy of ${trip.from?.url.origin} forbids to go to ${url.origin}`)
    const response = await send(current, world)
    hops.push({
      method: current.method,
      url,
      status: response?.status ?? 0,
      headers: response?.headers ?? new Headers(),
    })
    const next = response && followRedirect(current, response)
    if (!next) return { url, response, hops }
    current = next
  }
  throw new Error(
    `More than ${mostRedirects} redirects: ${hops.map(({ url }) => url.origin + url.pathname).join(" -> ")}`,
  )
}

function toInit(trip: Trip, cookie: string): RequestInit {
  const { method, body } = trip
  const headers = addBrowserHeaders(trip, cookie)
  return { method, headers, body, redirect: "manual" }
}
