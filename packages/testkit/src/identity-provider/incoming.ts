import type { Endpoint } from "./endpoint.js"

/** A request as it arrived. */
export interface Incoming {
  /** `elsewhere`: sent through the provider's `fetch` to an address that is not the provider's. */
  readonly endpoint: Endpoint | "elsewhere"
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** The form of a POST, else the query. */
  readonly params: URLSearchParams
  readonly signal: AbortSignal
}

export async function readIncoming(request: Request, endpoint: Incoming["endpoint"]): Promise<Incoming> {
  const url = new URL(request.url)
  const { method, headers, signal } = request
  const isForm = headers.get("content-type")?.startsWith("application/x-www-form-urlencoded") ?? false
  const text = method === "POST" ? await request.text() : ""
  const params = new URLSearchParams(method === "POST" && isForm ? text : url.search)
  return { endpoint, method, url, headers, params, signal }
}

/** The first name that comes twice, which RFC 6749 section 3.1 forbids. */
export function findRepeated(params: URLSearchParams): string | undefined {
  return [...params.keys()].find((name) => params.getAll(name).length > 1)
}
