import type { Answer, ResponseCookie } from "@latchkey/core"
import {
  type CookieWriter,
  forbidSharedCaching,
  isSharedCacheField,
  type ResponseFields,
  serializeCookie,
} from "@latchkey/core/integration"

/**
 * The parts of a response that are used: Node's `ServerResponse`, the response of its HTTP/2 compatibility API, and the
 * responses of the frameworks that extend them.
 */
export interface NodeResponse {
  statusCode: number
  readonly headersSent: boolean
  readonly destroyed: boolean
  readonly writableEnded: boolean
  /** Missing, or without headers, in responses that were made without a connection. */
  readonly req?:
    | {
        readonly method?: string | undefined
        readonly headers?: { readonly "accept-encoding"?: string | readonly string[] | undefined } | undefined
      }
    | undefined
  setHeader(name: string, value: string | readonly string[]): unknown
  /** Keeps the values that the header already has. */
  appendHeader(name: string, value: string): unknown
  getHeader(name: string): unknown
  getHeaderNames(): string[]
  removeHeader(name: string): unknown
  /** Called with the status when the headers are sent, by Node or by the app, which may pass a reason and headers. */
  writeHead(status: number, ...rest: unknown[]): unknown
  write(chunk: Uint8Array): boolean
  end(): unknown
  end(body: string | Uint8Array): unknown
  destroy(): unknown
  once(event: string, listener: () => void): unknown
  off(event: string, listener: () => void): unknown
}

/** Creates an answer with a JSON body. */
export function jsonAnswer(value: unknown, status: number): Answer {
  return { status, headers: [["content-type", "application/json"]], body: JSON.stringify(value) }
}

/**
 * Writes an answer of the service to a response of node:http (or HTTP/2). Cookies are added to those set before; other
 * headers replace those of the same name. The body is not written for `HEAD`.
 */
export function sendAnswer({ status, headers, body }: Answer, target: NodeResponse): void {
  if (target.headersSent || target.destroyed) return
  target.statusCode = status
  const hasCookie = headers.some(isCookie)
  for (const [name, value] of headers) {
    if (name === "set-cookie") target.appendHeader(name, value)
    else if (!(hasCookie && isSharedCacheField(name))) target.setHeader(name, value)
  }
  if (hasCookie) forbidSharedCaching(new SentFields(target)) // The app may have set headers for caches before.
  const bytes = body !== null && isAsset(headers) ? compress(body, target) : body
  if (bytes === null || target.req?.method === "HEAD") target.end()
  else target.end(bytes)
}

const isCookie = ([name]: Answer["headers"][number]): boolean => name === "set-cookie"

/** The stylesheet and the script, which hold nothing secret. */
const isAsset = (headers: Answer["headers"]): boolean =>
  headers.some(([name, value]) => name === "content-type" && /^text\/(?:css|javascript)\b/.test(value))

/** RFC 9110 section 12.5.3: a weight of zero means that the client does not want it. */
function mayCompress(target: NodeResponse): boolean {
  const accepted = target.req?.headers?.["accept-encoding"] ?? ""
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(accepted)) && !target.getHeader("content-encoding")
}

/**
 * Compresses the stylesheet and the script, for servers without a proxy that does. Pages are not compressed: the compressed
 * length of one with a CSRF token and text of the visitor can reveal the token (BREACH).
 */
function compress(body: string, target: NodeResponse): Uint8Array | string {
  target.appendHeader("vary", "Accept-Encoding")
  const zlib = findZlib()
  if (!zlib || !mayCompress(target)) return body
  target.setHeader("content-encoding", "gzip")
  const known = compressed.get(body)
  if (known) return known
  const bytes = zlib.gzipSync(body)
  if (compressed.size === maxCompressed) compressed.clear()
  compressed.set(body, bytes)
  return bytes
}

/** Not imported: bundles for the edge contain this package, by way of other ones, and cannot load any module of Node. */
function findZlib(): typeof import("node:zlib") | undefined {
  return globalThis.process?.getBuiltinModule?.("node:zlib")
}

/** By the text. A service has one stylesheet for each theme, and one script. */
const compressed = new Map<string, Uint8Array>()
const maxCompressed = 20

/**
 * Adds cookies to those that the response already sets. Shared caches may not store a response with cookies, even if the app
 * sets headers that allow it.
 */
export function setCookies(target: NodeResponse, cookies: readonly ResponseCookie[]): void {
  if (cookies.length === 0) return
  for (const cookie of cookies) target.appendHeader("set-cookie", serializeCookie(cookie))
  keepPrivate(target)
}

/** Returns the `Set-Cookie` values that a response already has. */
export function readSetCookies(target: Pick<NodeResponse, "getHeader">): readonly string[] {
  const sent = target.getHeader("set-cookie")
  return Array.isArray(sent) ? sent : typeof sent === "string" ? [sent] : []
}

/** Sets cookies for `getAccessToken`, until the headers are sent. */
export function toCookieWriter(target: NodeResponse): CookieWriter {
  return {
    canWrite: () => !(target.headersSent || target.writableEnded || target.destroyed),
    write: (cookies) => setCookies(target, cookies),
  }
}

/**
 * Called when the headers of a response are final, so that it can add cookies. Returns true if the response is for this visitor
 * alone without cookies, too.
 */
export type Finish = () => boolean

const finishes = new WeakMap<NodeResponse, Finish[]>()

/**
 * Keeps a response out of shared caches if it sets a cookie, or if `finish` returns true. Wraps `writeHead`, because the app may set headers for caches
 * until then, or pass them to it.
 */
export function keepPrivate(target: NodeResponse, finish?: Finish): void {
  const known = finishes.get(target)
  const own = known ?? []
  if (finish) own.push(finish)
  if (known) return
  finishes.set(target, own)
  const { writeHead } = target
  target.writeHead = (status, ...rest) => {
    const reason = typeof rest[0] === "string" ? [rest[0]] : []
    // Without a text, Node takes the headers from either argument.
    setHeaders(target, rest[reason.length] ?? rest[1])
    const isPrivate = own.filter((run) => run()).length > 0
    if (isPrivate || target.getHeader("set-cookie") !== undefined) forbidSharedCaching(new SentFields(target))
    return writeHead.call(target, status, ...reason)
  }
}

/** The header fields of a response of node:http. */
class SentFields implements ResponseFields {
  readonly #target: NodeResponse

  constructor(target: NodeResponse) {
    this.#target = target
  }

  keys(): string[] {
    return this.#target.getHeaderNames()
  }

  get(name: string): string | null {
    const value = this.#target.getHeader(name)
    return value === undefined ? null : String(value)
  }

  set(name: string, value: string): void {
    this.#target.setHeader(name, value)
  }

  delete(name: string): void {
    this.#target.removeHeader(name)
  }
}

/** Sets headers in the forms that `writeHead` takes: an object, a list of pairs, or a flat list of names and values. */
function setHeaders(target: NodeResponse, headers: unknown): void {
  if (typeof headers !== "object" || headers === null) return
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) target.setHeader(name, value)
    return
  }
  const flat: readonly unknown[] = Array.isArray(headers[0]) ? headers.flat() : headers
  const names = flat.filter((_, index) => index % 2 === 0).map(String)
  for (const name of names) target.removeHeader(name)
  // A value may be a list, such as that of several cookies.
  for (const [index, name] of names.entries())
    for (const value of [flat[2 * index + 1]].flat()) target.appendHeader(name, String(value))
}

/** Headers of the connection, which Node manages. HTTP/2 forbids them (RFC 9113 section 8.2.2). */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
])

/**
 * Writes a Web `Response` to a response of node:http (or HTTP/2). Resolves once it is written or the client has
 * disconnected.
 *
 * Cookies are added to those set before; other headers replace those of the same name. The body is written as fast as
 * the client reads it, and not at all for `HEAD`.
 * @throws the error of the body's stream, after it has closed the connection: a client must not take a truncated body for
 *   a complete one
 */
export async function sendWebResponse(response: Response, target: NodeResponse): Promise<void> {
  if (target.headersSent || target.destroyed) return await discard(response)
  target.statusCode = response.status
  response.headers.forEach((value, name) => {
    if (name === "set-cookie") target.appendHeader(name, value)
    else if (!connectionHeaders.has(name)) target.setHeader(name, value)
  })
  if (target.req?.method === "HEAD") await discard(response)
  else if (response.body) await writeBody(response.body, target)
  target.end()
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel()
}

async function writeBody(body: ReadableStream<Uint8Array>, target: NodeResponse): Promise<void> {
  const reader = body.getReader()
  const cancel = () => {
    reader.cancel().catch(() => {}) // The client has disconnected, so the error has no recipient.
  }
  target.once("close", cancel)
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!target.write(next.value)) await drained(target)
    }
  } catch (error) {
    target.destroy()
    throw error
  } finally {
    target.off("close", cancel)
  }
}

function drained(target: NodeResponse): Promise<void> {
  if (target.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    const settle = () => {
      target.off("drain", settle)
      target.off("close", settle)
      resolve()
    }
    target.once("drain", settle)
    target.once("close", settle)
  })
}
