import { InvalidRequest } from "@latchkey/core/errors"
import { toBodyStream } from "./body-stream.js"
import type { NodeRequest } from "./node-request.js"
import type { NodeResponse } from "./node-response.js"

/**
 * `parsed`: bytes or text made again from what a parser left. Length and encoding headers of the request do not fit it.
 */
export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "stream"; readonly content: ReadableStream<Uint8Array> }
  | { readonly kind: "parsed"; readonly content: string | Uint8Array<ArrayBuffer> }

/** Where the body of a request is, when it is no longer in the request. */
export interface BodyOptions {
  /** The parsed body, where a framework keeps it elsewhere. Default: `rawBody`, then `body` of the request. */
  readonly body?: unknown
  /** The answer of the request. Once it is closed, what nobody read of the body is thrown away. */
  readonly response?: NodeResponse | undefined
}

const none: RequestBody = { kind: "none" }

/**
 * The body of a request: as a stream where nobody has read it, else made again from what its reader left.
 * @throws Error when somebody read the body and left nothing, so that it is never silently empty
 */
export function toRequestBody(request: NodeRequest, options: BodyOptions): RequestBody {
  if (request.method === "GET" || request.method === "HEAD") return none
  if (options.body !== undefined) return fromParsed(options.body, request)
  if (!hasBody(request)) return none
  if (!request.readableDidRead) return { kind: "stream", content: toBodyStream(request, options.response) }
  const parsed = request.rawBody instanceof Uint8Array ? request.rawBody : request.body
  if (parsed !== undefined) return fromParsed(parsed, request)
  throw new Error(
    "The request's body was read before it came here, and no parsed body was left in `req.body`: mount authentication before whatever reads it",
  )
}

/** RFC 9112 section 6.3; RFC 9113 section 8.1. */
function hasBody({ headers, stream }: NodeRequest): boolean {
  if (stream) return !stream.endAfterHeaders
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0
}

function fromParsed(parsed: unknown, { headers }: NodeRequest): RequestBody {
  if (typeof parsed === "string") return { kind: "parsed", content: parsed }
  if (parsed instanceof Uint8Array) return { kind: "parsed", content: new Uint8Array(parsed) }
  const essence = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase()
  if (essence === "application/json") return { kind: "parsed", content: toJson(parsed) }
  if (essence !== "application/x-www-form-urlencoded") return none // A file upload, say. The service reads no other type.
  const form = new URLSearchParams()
  appendFields(form, "", parsed)
  return { kind: "parsed", content: form.toString() }
}

/** @throws InvalidRequest for a body that is nested so deeply that writing it takes more stack than there is */
function toJson(parsed: unknown): string {
  try {
    return JSON.stringify(parsed)
  } catch {
    throw new InvalidRequest("The parsed body cannot be written as JSON")
  }
}

/** Lists become several fields of one name and objects `name[key]`: what form parsers understand by them. */
function appendFields(form: URLSearchParams, name: string, value: unknown): void {
  if (Array.isArray(value)) for (const one of value) appendFields(form, name, one)
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) appendFields(form, name === "" ? key : `${name}[${key}]`, inner)
  } else if (value !== undefined) form.append(name, String(value ?? ""))
}
