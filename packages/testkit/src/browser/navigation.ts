import { type IncomingMessage, request as sendRequest } from "node:http"
import type { CookieJar } from "./cookie-jar.js"
import { addBrowserHeaders, type BrowserRequest, destinationOf, followRedirect, siteRelation } from "./request.js"

/** The server of an origin: an app, an identity provider or any other. */
export type Handler = (request: Request) => Response | Promise<Response>

/** Handlers by origin, such as `{ "https://idp.test": idp.handler }`. */
export type Network = Readonly<Record<string, Handler>>

/**
 * A handler that sends requests over real HTTP, for an app that listens on a port. The browser follows redirects itself.
 * @example createBrowser({ handler: overHttp, origin: "http://127.0.0.1:3000" })
 */
export async function overHttp(request: Request): Promise<Response> {
  const { method, url, signal } = request
  const body = Buffer.from(await request.arrayBuffer())
  const headers = { ...Object.fromEntries(request.headers), ...(body.length > 0 && { "content-length": body.length }) }
  return new Promise((resolve, reject) => {
    // Not `fetch`, which sends the header `Sec-Fetch-Mode` of a script with each request.
    const sent = sendRequest(url, { method, headers, signal, agent: false }, (incoming) => {
      toResponse(incoming).then(resolve, reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })
}

async function toResponse(incoming: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, rawHeaders } = incoming
  const headers = new Headers()
  for (let n = 0; n < rawHeaders.length; n += 2) headers.append(rawHeaders[n] ?? "", rawHeaders[n + 1] ?? "")
  const body = new Uint8Array(Buffer.concat(await incoming.toArray()))
  return new Response(body.length > 0 ? body : null, { status, headers })
}

/** A request of a navigation and its response. */
export interface Hop {
  readonly method: string
  readonly url: URL
  /** 0 if no handler serves the origin. */
  readonly status: number
  /** Headers of the response. */
  readonly headers: Headers
}

/** The result of a navigation. */
export interface Arrival {
  readonly url: URL
  /** Null if no handler serves the origin. */
  readonly response: Response | null
  readonly hops: readonly Hop[]
}

interface Connection {
  readonly jar: CookieJar
  readonly network: Network
}

const maxRedirects = 20

/**
 * Sends one request with the cookies of the jar, and stores the cookies of the response.
 * @returns Null if no handler serves the origin.
 */
export async function send(request: BrowserRequest, { jar, network }: Connection): Promise<Response | null> {
  const { method, body } = request
  const url = destinationOf(request)
  const handler = network[url.origin]
  if (!handler) return null
  const isSameSite = siteRelation(request) !== "cross-site"
  const isTopLevel = request.mode === "navigate"
  const cookie = jar.header({ url, method, isSameSite, isTopLevel })
  const address = new URL(url)
  address.hash = ""
  const response = await handler(
    new Request(address, { method, body, headers: addBrowserHeaders(request, cookie), redirect: "manual" }),
  )
  for (const header of response.headers.getSetCookie())
    jar.store(header, { url, isCrossSiteScript: !isSameSite && !isTopLevel })
  return response
}

/**
 * Sends a request and follows its redirects.
 * @param allows Whether the page that navigates allows this target.
 * @throws Error after 20 redirects, or if `allows` returns false.
 */
export async function navigate(
  request: BrowserRequest,
  connection: Connection,
  allows: (target: URL) => boolean,
): Promise<Arrival> {
  const hops: Hop[] = []
  for (let current = request; hops.length <= maxRedirects; ) {
    const url = destinationOf(current)
    if (!allows(url))
      throw new Error(`The form-action policy of ${request.from?.url.origin} does not allow ${url.origin}`)
    const response = await send(current, connection)
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
    `More than ${maxRedirects} redirects: ${hops.map(({ url }) => url.origin + url.pathname).join(" -> ")}`,
  )
}
