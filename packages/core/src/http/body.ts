import { InvalidRequest } from "../errors/errors.js"
import type { RequestLimits } from "../types/config.js"
import type { IncomingRequest } from "../types/http.js"
import { defaultRequestLimits } from "./limits.js"

/** The fields of a form or of a JSON object. Untrusted; no prototype. */
export type Fields = Readonly<Record<string, unknown>>

type BodyLimits = Pick<RequestLimits, "bodyBytes" | "jsonDepth">

/** Fields that the service itself uses: anything but text would be a trick. */
const textFields = ["callbackUrl", "csrfToken"] as const

/** Parameters of an authorization response, which must not come twice: RFC 6749 section 3.1. */
const answerFields = ["code", "state", "iss", "error", "response"] as const

/**
 * Reads a form or a JSON object; any other media type gives no body. The type is compared on its essence, so that
 * `text/plain; x=application/json`, which a foreign page may send without asking, is not read.
 * @throws InvalidRequest when the body is too large, broken, or not what its type says
 */
export async function readBody(
  request: IncomingRequest,
  limits: BodyLimits = defaultRequestLimits,
): Promise<Fields | undefined> {
  const essence = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase()
  if (essence !== "application/json" && essence !== "application/x-www-form-urlencoded") return undefined
  const text = await readText(request, limits)
  const fields = essence === "application/json" ? parseJsonFields(text, limits) : parseFormFields(text)
  for (const name of textFields) {
    if (name in fields && typeof fields[name] !== "string") throw new InvalidRequest(`${name} must be text`)
  }
  return fields
}

async function readText({ headers, body }: IncomingRequest, { bodyBytes }: BodyLimits): Promise<string> {
  if (Number(headers.get("content-length")) > bodyBytes) throw tooLarge(bodyBytes)
  if (body === null) return ""
  if (typeof body === "string" || body instanceof Uint8Array) return toText(body, bodyBytes)
  const reader = openBody(body)
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength
      if (size > bodyBytes) throw tooLarge(bodyBytes)
      text += decoder.decode(next.value, { stream: true })
    }
    return text + decoder.decode()
  } catch (error) {
    reader.cancel().catch(() => {}) // Already broken, or too much of it: nothing more is read.
    // The connection broke: nothing of the body can be trusted.
    throw error instanceof InvalidRequest ? error : unreadable()
  }
}

/** What somebody else has read. */
function toText(body: string | Uint8Array, bodyBytes: number): string {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  if (bytes.byteLength > bodyBytes) throw tooLarge(bodyBytes)
  return typeof body === "string" ? body : new TextDecoder().decode(body)
}

function openBody(body: ReadableStream<Uint8Array>): ReadableStreamDefaultReader<Uint8Array> {
  try {
    return body.getReader()
  } catch {
    throw unreadable() // Somebody is reading it already.
  }
}

function parseJsonFields(text: string, { jsonDepth }: BodyLimits): Fields {
  assertShallow(text, jsonDepth)
  const parsed = parseJson(text)
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new InvalidRequest("The JSON body must be an object")
  }
  return toFields(Object.entries(parsed))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote the body, which may hold a password.
    throw new InvalidRequest("The body is not JSON")
  }
}

function parseFormFields(text: string): Fields {
  const form = new URLSearchParams(text)
  const repeated = answerFields.find((name) => form.getAll(name).length > 1)
  if (repeated !== undefined) throw new InvalidRequest(`${repeated} may be sent once`)
  return toFields(form)
}

/** The first of several fields with one name counts. */
function toFields(entries: Iterable<readonly [string, unknown]>): Fields {
  const fields: Record<string, unknown> = Object.create(null)
  for (const [name, value] of entries) if (name !== "__proto__" && !(name in fields)) fields[name] = value
  return fields
}

function unreadable(): InvalidRequest {
  return new InvalidRequest("The body could not be read to its end")
}

function tooLarge(bodyBytes: number): InvalidRequest {
  return new InvalidRequest(`The body is larger than ${bodyBytes} bytes`, 413)
}

/**
 * Brackets outside of strings, and whole strings, whose brackets mean nothing. A string without an end reaches to the
 * end of the text, so that no part of it is looked at twice.
 */
const tokens = /"(?:[^"\\]|\\.?)*(?:"|$)|[[\]{}]/gs

/**
 * Refuses JSON nested so deeply that code walking it later would run out of stack.
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
