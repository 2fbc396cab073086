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
