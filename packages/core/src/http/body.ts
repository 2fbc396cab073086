import { InvalidRequest } from "../errors/errors.js"
import { isRecord, parseJson } from "../runtime/json.js"
import { isPromiseLike } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { RequestLimits } from "../types/config.js"
import type { IncomingHeaders, IncomingRequest } from "../types/http.js"
import { defaultRequestLimits } from "./limits.js"

/** The fields of a form or of a JSON object. Untrusted; the object has no prototype. */
export type Fields = Readonly<Record<string, unknown>>

type BodyLimits = Pick<RequestLimits, "bodyBytes" | "jsonDepth">

/** Fields that the service itself reads: any other type would be an attack. */
const textFields = ["callbackUrl", "csrfToken"] as const

/** How a route reads forms with files. Others do not read them. */
export interface Uploads {
  /** Bytes of the body. */
  readonly maxBytes: number
  parse(chunks: readonly Uint8Array[], contentType: string): Promise<Fields>
}

/**
 * Reads a form or a JSON object; any other media type counts as no body. Parameters of the media type are ignored, so
 * that `text/plain; x=application/json`, which another site may send without a preflight, is not read.
 * @throws InvalidRequest if the body is too large, malformed, or not what its type says.
 */
export async function readBody(
  request: IncomingRequest,
  limits: BodyLimits = defaultRequestLimits,
  uploads?: Uploads,
): Promise<Fields | undefined> {
  const type = request.headers.get("content-type") ?? ""
  const essence = type.split(";", 1)[0]?.trim().toLowerCase()
  const isUpload = essence === "multipart/form-data" && uploads !== undefined
  if (!isUpload && essence !== "application/json" && essence !== "application/x-www-form-urlencoded") return undefined
  const reading = readChunks(request, isUpload ? uploads.maxBytes : limits.bodyBytes)
  const chunks = isPromiseLike(reading) ? await reading : reading
  const fields = isUpload ? await uploads.parse(chunks, type) : parseText(essence, decodeText(chunks), limits)
  for (const name of textFields) {
    if (name in fields && typeof fields[name] !== "string") throw new InvalidRequest(`${name} must be text`)
  }
  return fields
}

function parseText(essence: string | undefined, text: string, limits: BodyLimits): Fields {
  return essence === "application/json" ? parseJsonFields(text, limits) : toFormFields(new URLSearchParams(text))
}

function readChunks(request: IncomingRequest, bodyBytes: number): Awaitable<readonly Uint8Array[]> {
  if (Number(request.headers.get("content-length")) > bodyBytes) throw tooLarge(bodyBytes)
  // Only now: in some servers, even looking at the body takes it from the connection.
  const { body } = request
  if (body === null) return []
  if (typeof body === "string" || body instanceof Uint8Array) {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
    if (bytes.byteLength > bodyBytes) throw tooLarge(bodyBytes)
    return [bytes]
  }
  return readBounded(body, bodyBytes).then(
    (chunks) => {
      if (chunks === null) throw tooLarge(bodyBytes)
      return chunks
    },
    () => {
      // The connection broke, or the stream is already in use: no part of the body can be trusted.
      throw new InvalidRequest("The body could not be read to its end")
    },
  )
}

function tooLarge(bodyBytes: number): InvalidRequest {
  return new InvalidRequest(`The body is larger than ${bodyBytes} bytes`, 413)
}

/**
 * Reads a stream of at most `maxBytes`. It counts what arrives, because `Content-Length` may be missing or wrong.
 * @param signal Aborts reading.
 * @returns the chunks, or null if there are more bytes. The rest is canceled, also after an error.
 */
export async function readBounded(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<readonly Uint8Array[] | null> {
  const reader = stream.getReader()
  const stop = () => cancel(reader)
  signal?.addEventListener("abort", stop, { once: true })
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (!ArrayBuffer.isView(next.value)) throw new TypeError("The stream must consist of bytes")
      size += next.value.byteLength
      if (size > maxBytes) {
        stop()
        return null
      }
      chunks.push(next.value)
    }
    return chunks
  } catch (error) {
    stop()
    throw error
  } finally {
    signal?.removeEventListener("abort", stop)
  }
}

/** Does not wait: the other side may never confirm. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => {})
}

/** Decodes UTF-8. Invalid bytes become U+FFFD. */
export function decodeText(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder()
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("") + decoder.decode()
}

function parseJsonFields(text: string, { jsonDepth }: BodyLimits): Fields {
  assertShallow(text, jsonDepth)
  const parsed = parseJson(text)
  if (parsed === undefined) throw new InvalidRequest("The body is not JSON")
  if (!isRecord(parsed)) throw new InvalidRequest("The JSON body must be an object")
  return toFields(Object.entries(parsed))
}

/** Brackets outside of strings, and whole strings. A string without an end reaches to the end, so no part is read twice. */
const tokens = /"(?:[^"\\]|\\.?)*(?:"|$)|[[\]{}]/gs

/**
 * Refuses JSON that is nested so deeply that code that walks it would overflow the stack.
 * @throws InvalidRequest
 */
export function assertShallow(text: string, maxDepth: number = defaultRequestLimits.jsonDepth): void {
  let depth = 0
  for (const [token] of text.matchAll(tokens)) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    if (depth > maxDepth) throw new InvalidRequest(`The JSON body is nested deeper than ${maxDepth} levels`)
  }
}

/**
 * Fields that must not be repeated: the parameters of an authorization response (RFC 6749 section 3.1), and the CSRF
 * token, because an attacker could add a field to a form but not replace one.
 */
const singleFields = ["code", "state", "iss", "error", "response", "csrfToken"] as const

/** @throws InvalidRequest for a repeated field that must not be */
export function toFormFields(form: URLSearchParams | FormData): Fields {
  const repeated = singleFields.find((name) => form.getAll(name).length > 1)
  if (repeated !== undefined) throw new InvalidRequest(`${repeated} must not be repeated`)
  return toFields(form)
}

/** The last of several fields with the same name counts: a checkbox replaces the hidden field before it. */
function toFields(entries: Iterable<readonly [string, unknown]>): Fields {
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of entries) if (name !== "__proto__") fields[name] = value
  return fields
}

interface HeadersAndUrl {
  readonly url: URL
  readonly headers: IncomingHeaders
}

/**
 * Creates a `Request` for the app's own code, with the URL and headers of this one. Its body has the fields as JSON,
 * because the original body is already consumed.
 */
export function toHostRequest(request: HeadersAndUrl, fields: Readonly<Record<string, unknown>>): Request {
  // A record is read faster than a list of pairs. Names that occur twice are already joined.
  const headers: Record<string, string> = {}
  for (const [name, value] of request.headers) if (!bodyHeaders.has(name)) headers[name] = value
  headers["content-type"] = "application/json"
  return new Request(request.url.href, { method: "POST", headers, body: JSON.stringify(fields) })
}

/** Headers that describe the original body. */
const bodyHeaders: ReadonlySet<string> = new Set([
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
])
