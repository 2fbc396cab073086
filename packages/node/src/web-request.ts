import { InvalidRequest } from "@latchkey/core/errors"
import { fromNodeHeaders } from "./headers.js"
import type { NodeRequest } from "./node-request.js"
import type { NodeResponse } from "./node-response.js"
import { type OriginOptions, resolveOrigin } from "./origin.js"
import { type BodyOptions, toRequestBody } from "./request-body.js"

/** What is known of a request besides what Node says of it. */
export interface WebRequestOptions extends OriginOptions, BodyOptions {
  /** Path and query. Default: `originalUrl`, else `url` of the request. */
  readonly url?: string | undefined
  /** The answer of the request: when it is closed before its end, the request's signal is aborted. */
  readonly response?: NodeResponse | undefined
}

/** What a URL parser would rewrite or drop, so that a router and the service would see different paths. */
const ambiguousPath = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|[\\\t\r\n]/i

/** `fetch` refuses these methods (Fetch standard, section 2.2.1), and so does `Request`. */
const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"])

/** Headers that tell how a body was sent, not what it says. */
export const transferHeaders = ["content-length", "content-encoding", "transfer-encoding"] as const

/**
 * A request of node:http (or HTTP/2) as a Web `Request`.
 * @throws InvalidRequest for a target or method that is none
 * @throws UntrustedHost for a host that is none
 */
export function toWebRequest(request: NodeRequest, options: WebRequestOptions = {}): Request {
  const { method, url } = toRequestLine(request, options)
  const headers = fromNodeHeaders(request.headers)
  const body = toRequestBody(request, options)
  if (body.kind === "parsed") for (const name of transferHeaders) headers.delete(name)
  // `duplex` is missing from some type libraries, and a stream is refused without it.
  const init: RequestInit & { duplex: "half" } = { method, headers, duplex: "half" }
  if (body.kind === "stream") init.body = body.content
  if (body.kind === "parsed") init.body = typeof body.content === "string" ? Buffer.from(body.content) : body.content
  if (options.response) init.signal = toSignal(options.response)
  return new Request(url, init)
}

/**
 * Method and address of a request.
 * @throws InvalidRequest for a target or method that is none
 * @throws UntrustedHost for a host that is none
 */
export function toRequestLine(
  request: NodeRequest,
  options: WebRequestOptions,
): { readonly method: string; readonly url: string } {
  const method = request.method ?? "GET"
  if (forbiddenMethods.has(method)) throw new InvalidRequest(`${method} is not answered`)
  const target = parseTarget(options.url ?? readTarget(request))
  return { method, url: `${resolveOrigin(request, options)}${target}` }
}

/** Path and query of a request, as the visitor sent them. */
export function readTarget(request: NodeRequest): string {
  const target = request.originalUrl ?? request.url ?? "/"
  // The absolute form, RFC 9112 section 3.2.2. What it says of the host is no better than the Host header.
  return target.startsWith("/") ? target : target.replace(/^https?:\/\/[^/?#]*/i, "")
}

/** The part of a target before its query. */
export function toPath(target: string): string {
  return target.split(/[?#]/, 1)[0] ?? ""
}

/** @throws InvalidRequest for a target without a path, or with one that does not mean what it says */
function parseTarget(target: string): string {
  if (!target.startsWith("/")) throw new InvalidRequest("The target of the request has no path")
  if (ambiguousPath.test(toPath(target))) {
    throw new InvalidRequest("The path of the request has dot segments or backslashes")
  }
  return target
}

function toSignal(response: NodeResponse): AbortSignal {
  const controller = new AbortController()
  response.once("close", () => {
    if (!response.writableEnded) controller.abort()
  })
  return controller.signal
}
