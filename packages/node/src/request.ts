import type { IncomingHeaders, IncomingRequest, OriginOptions } from "@latchkey/core"
import { InvalidRequest } from "@latchkey/core/errors"
import { toPath } from "@latchkey/core/integration"
import { fromNodeHeaders, type NodeHeaderValues, type NodeRequest, readHeader, resolveOrigin } from "./config.js"
import type { NodeResponse } from "./response.js"

/** Where to find the body of a request that has been read already. */
export interface BodyOptions {
  /** The parsed body, if the framework keeps it elsewhere. Default: `rawBody`, then `body` of the request. */
  readonly body?: unknown
  /** The response to the request. Once it is closed, the unread rest of the body is discarded. */
  readonly response?: NodeResponse | undefined
}

/** What a framework knows about the URL and the body of a request. */
export interface WebRequestOptions extends OriginOptions, BodyOptions {
  /** Path and query. Default: `originalUrl`, else `url` of the request. */
  readonly url?: string | undefined
  /** The response to the request: if it closes before it ends, the signal of a Web `Request` is aborted. */
  readonly response?: NodeResponse | undefined
}

/**
 * Converts a request of node:http (or HTTP/2) to a Web `Request`.
 * @throws InvalidRequest for an invalid target or method
 * @throws UntrustedHost for an invalid host
 */
export function toWebRequest(request: NodeRequest, options: WebRequestOptions = {}): Request {
  const { method, url } = toRequestLine(request, options)
  const headers = fromNodeHeaders(request.headers)
  const body = toRequestBody(request, options)
  if (body.kind === "parsed") for (const name of transferHeaders) headers.delete(name)
  // `duplex` is missing from some type libraries, but required for a stream.
  const init: RequestInit & { duplex: "half" } = { method, headers, duplex: "half" }
  if (body.kind === "stream") init.body = body.content
  if (body.kind === "parsed") init.body = typeof body.content === "string" ? Buffer.from(body.content) : body.content
  if (options.response) init.signal = toSignal(options.response)
  return new Request(url, init)
}

function toSignal(response: NodeResponse): AbortSignal {
  const controller = new AbortController()
  response.once("close", () => {
    if (!response.writableEnded) controller.abort()
  })
  return controller.signal
}

/**
 * Wraps a request of node:http (or HTTP/2) for the service, without the cost of a Web `Request`.
 * @throws InvalidRequest for an invalid target or method
 * @throws UntrustedHost for an invalid host
 */
export function toIncomingRequest(request: NodeRequest, options: WebRequestOptions): IncomingRequest {
  const line = toRequestLine(request, options)
  const body = toRequestBody(request, options)
  if (body.kind === "none") return { ...line, headers: new NodeHeaders(request.headers), body: null }
  const headers = body.kind === "parsed" ? withoutTransfer(request.headers) : request.headers
  return { ...line, headers: new NodeHeaders(headers), body: body.content }
}

/** Node's headers without a copy. Hides the pseudo-headers of HTTP/2. */
class NodeHeaders implements IncomingHeaders {
  readonly #headers: NodeHeaderValues

  constructor(headers: NodeHeaderValues) {
    this.#headers = headers
  }

  get(name: string): string | null {
    return readHeader(this.#headers, name)
  }

  has(name: string): boolean {
    return (this.#headers[name] ?? undefined) !== undefined
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (const name of Object.keys(this.#headers)) {
      const value = name.startsWith(":") ? null : this.get(name)
      if (value !== null) yield [name, value]
    }
  }
}

/** Headers that describe the original transfer of a body. They do not fit a body that was parsed. */
const transferHeaders = ["content-length", "content-encoding", "transfer-encoding"] as const

function withoutTransfer(headers: NodeHeaderValues): NodeHeaderValues {
  const copy: Record<string, NodeHeaderValues[string]> = { ...headers }
  for (const name of transferHeaders) delete copy[name]
  return copy
}

/** Methods that `fetch` and `Request` forbid (Fetch standard, section 2.2.1). */
const forbiddenMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE", "TRACK"])

/** Paths that a URL parser would rewrite, so that a router and the service would see different ones. */
const ambiguousPath = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|[\\\t\r\n]/i

function toRequestLine(
  request: NodeRequest,
  options: WebRequestOptions,
): { readonly method: string; readonly url: string } {
  const method = request.method ?? "GET"
  if (forbiddenMethods.has(method)) throw new InvalidRequest(`The method ${method} is not supported`)
  const target = options.url ?? readTarget(request)
  if (!target.startsWith("/")) throw new InvalidRequest("The target of the request has no path")
  if (ambiguousPath.test(toPath(target))) {
    throw new InvalidRequest("The path of the request has dot segments or backslashes")
  }
  return { method, url: `${resolveOrigin(request, options)}${target}` }
}

/** A scheme, a host without a user, and a port: what all URL parsers read alike (RFC 3986 section 3.2). */
const authority = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?(?=[/?]|$)/i

/**
 * Returns path and query of a request, as the client sent them. A target in absolute form (RFC 9112 section 3.2.2) is
 * reduced to them, since its host is no more trustworthy than the Host header.
 * @throws InvalidRequest for a target that routers read differently, such as `http://app.test%2fprivate/`: a guard would
 *   judge another path than the one that is served
 */
export function readTarget(request: Pick<NodeRequest, "originalUrl" | "url">): string {
  const target = request.originalUrl ?? request.url ?? "/"
  if (target.startsWith("/") || target === "*") return target
  const [start] = authority.exec(target) ?? []
  if (start === undefined)
    throw new InvalidRequest("The target of the request is neither a path nor a plain http(s) URL")
  const rest = target.slice(start.length)
  return rest.startsWith("/") ? rest : `/${rest}` // An empty path is the root.
}

/** `parsed`: bytes, or text that was rebuilt from the result of a parser. */
type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "stream"; readonly content: ReadableStream<Uint8Array> }
  | { readonly kind: "parsed"; readonly content: string | Uint8Array<ArrayBuffer> }

const none: RequestBody = { kind: "none" }

/**
 * Returns the body as a stream if it is unread, else rebuilds it from the result of its parser.
 * @throws Error for a body that was read without leaving a result, so that it is never silently empty
 */
function toRequestBody(request: NodeRequest, options: BodyOptions): RequestBody {
  if (request.method === "GET" || request.method === "HEAD") return none
  if (options.body !== undefined) return fromParsed(options.body, request)
  if (!hasBody(request)) return none
  // A request that a test made may have a body and no stream.
  const isStream = typeof request.readableDidRead === "boolean" || parsedBody(request) === undefined
  if (isStream && !request.readableDidRead) {
    return { kind: "stream", content: toBodyStream(request, options.response) }
  }
  const parsed = parsedBody(request)
  if (parsed !== undefined) return fromParsed(parsed, request)
  throw new Error(
    "The request's body was already read, and `req.body` is not set. Mount authentication before the code that reads it",
  )
}

function parsedBody({ rawBody, body }: NodeRequest): unknown {
  return rawBody instanceof Uint8Array ? rawBody : body
}

/** RFC 9112 section 6.3; RFC 9113 section 8.1. */
function hasBody({ headers, stream }: NodeRequest): boolean {
  if (stream) return !stream.endAfterHeaders
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0
}

function fromParsed(parsed: unknown, { headers }: NodeRequest): RequestBody {
  if (typeof parsed === "string") return { kind: "parsed", content: parsed }
  if (parsed instanceof Uint8Array) return { kind: "parsed", content: new Uint8Array(parsed) }
  const essence = readHeader(headers, "content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  if (essence === "application/json") return { kind: "parsed", content: toJson(parsed) }
  if (essence !== "application/x-www-form-urlencoded") return none // A file upload, say: the service reads no other type.
  const form = new URLSearchParams()
  appendFields(form, "", parsed)
  return { kind: "parsed", content: form.toString() }
}

/** @throws InvalidRequest for a body that is nested too deeply for the stack */
function toJson(parsed: unknown): string {
  try {
    return JSON.stringify(parsed)
  } catch {
    throw new InvalidRequest("The parsed body cannot be written as JSON")
  }
}

/** Writes lists as repeated fields and objects as `name[key]`, the way form parsers read them. */
function appendFields(form: URLSearchParams, name: string, value: unknown): void {
  if (Array.isArray(value)) for (const one of value) appendFields(form, name, one)
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) appendFields(form, name === "" ? key : `${name}[${key}]`, inner)
  } else if (value !== undefined) form.append(name, String(value ?? ""))
}

/**
 * Returns the body as a stream that pulls the next chunk only when it is read.
 *
 * Cancelling it discards the rest and keeps the connection open, so that the response (413, say) still arrives;
 * `Readable.toWeb` would close the connection. It adds no listeners before the first read, so that another reader can
 * still have the body.
 */
function toBodyStream(request: NodeRequest, response?: NodeResponse): ReadableStream<Uint8Array> {
  let stop: (() => void) | undefined
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (request.readableEnded) return controller.close()
        if (request.destroyed) return controller.error(disconnected())
        stop ??= startReading(request, controller, response)
        request.resume()
      },
      cancel() {
        stop?.()
        request.resume()
      },
    },
    { highWaterMark: 0 },
  )
}

/** @returns a function that removes the listeners */
function startReading(
  request: NodeRequest,
  controller: ReadableStreamDefaultController<Uint8Array>,
  response: NodeResponse | undefined,
): () => void {
  const stop = () => {
    request.off("data", onData)
    request.off("end", onEnd)
    request.off("close", onClose)
    response?.off("close", onResponseClose)
  }
  const onData = (chunk: Uint8Array) => {
    request.pause()
    controller.enqueue(new Uint8Array(chunk))
  }
  const onEnd = () => {
    stop()
    controller.close()
  }
  const onClose = () => {
    stop()
    controller.error(disconnected())
  }
  const onResponseClose = () => {
    onClose()
    request.resume()
  }
  request.pause()
  request.on("data", onData)
  request.on("end", onEnd)
  request.on("close", onClose)
  response?.once("close", onResponseClose)
  return stop
}

function disconnected(): Error {
  return new Error("The connection closed before the request's body was complete")
}
