import { type ActionAnswer, type Caller, serializeCookie } from "@latchkey/core/integration"

/** What is read of Qwik City's request events, and what is done with them. */
export interface QwikEvent {
  /** Without the `/q-data.json` by which Qwik's client asks for the data of a page. */
  readonly url: URL
  /** The path below which the whole app stands. */
  readonly basePathname: string
  readonly request: Request
  readonly headers: Headers
  readonly cookie: { set(name: string, value: string): void }
  readonly env: { get(key: string): string | undefined }
  readonly sharedMap: Map<string, unknown>
  readonly clientConn: { readonly ip?: string }
  readonly redirect: (statusCode: 303, url: string) => unknown
  readonly send: (response: Response) => unknown
}

/** The visitor behind an event. Qwik City's URL has the origin of `ORIGIN` where that is set. */
export function toCaller({ request, url, clientConn }: QwikEvent): Caller {
  const { protocol, host } = url
  return { headers: request.headers, protocol, host, context: { clientAddress: clientConn.ip } }
}

/**
 * As Qwik City itself takes over the cookies of a `Response`: name, then the value with its attributes. Of cookies in
 * `event.headers` its servers keep one.
 */
export function setCookies(event: QwikEvent, cookies: ActionAnswer["cookies"]): void {
  for (const cookie of cookies) {
    const text = serializeCookie(cookie)
    const equals = text.indexOf("=")
    event.cookie.set(text.slice(0, equals), text.slice(equals + 1))
  }
}

/**
 * Ends an action by sending the visitor on.
 * @throws what Qwik City takes for a redirect. Only when its client asks for data, and is to leave the app's pages, the
 *   action returns: then the data say where to go, since a redirect with another origin is lost on that way.
 */
export function leave(event: QwikEvent, { url, cookies }: ActionAnswer): void {
  setCookies(event, cookies)
  const isDataRequest = new URL(event.request.url).pathname.endsWith("/q-data.json")
  const message = isDataRequest && !url.startsWith("/") ? undefined : event.redirect(303, url)
  // As it is: `redirect` takes slashes out of the query of a URL.
  event.headers.set("location", url)
  if (message !== undefined) throw message
}
