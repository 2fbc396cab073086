import { allowInsecureRequests as allowPlainHttp, customFetch as callWith } from "oauth4webapi"
import { joinBytes } from "../crypto/encoding.js"
import { withDeadline } from "../runtime/promise.js"
import { customFetch } from "../types/basics.js"
import type { OAuthProviderFacts } from "../types/oauth-provider.js"
import { assertSecureUrl, parseEndpoint } from "./address.js"
import { type EndpointKind, ProviderError } from "./errors.js"

type FetchingProvider = Pick<OAuthProviderFacts, "allowInsecureRequests" | "answerLimits" | typeof customFetch>

const usualLimits = { seconds: 10, bytes: 1024 * 1024 }

/** Some providers refuse requests that do not say who asks. */
const userAgent = "latchkey"

/** The fetch function that reaches this provider: the host's, or the platform's. */
export function fetchOf(provider: FetchingProvider): typeof fetch {
  return provider[customFetch] ?? fetch
}

/**
 * The only way to a provider: https (plain http to this machine, or where the host allowed it), no redirects followed,
 * one deadline for the call and its body, and a limit on the size. The answer's body is read when it returns.
 * @throws ProviderError
 */
export function createProviderFetch(provider: FetchingProvider, endpoint: EndpointKind): typeof fetch {
  const { seconds, bytes } = { ...usualLimits, ...provider.answerLimits }
  return async (input, init) => {
    assertSecureUrl(parseEndpoint(toAddress(input), endpoint), {
      endpoint,
      allowInsecureRequests: provider.allowInsecureRequests,
    })
    const timeout = new AbortController()
    const signal = init?.signal ? AbortSignal.any([timeout.signal, init.signal]) : timeout.signal
    const call = () =>
      fetchOf(provider)(input, { ...init, headers: toHeaders(input, init), redirect: "manual", signal })
    return withDeadline(exchange(call, { endpoint, signal, maxBytes: bytes }), seconds * 1000, () => {
      timeout.abort()
      return new ProviderError(`The ${endpoint} endpoint did not answer in time`, { code: "timed-out", endpoint })
    })
  }
}

async function exchange(call: () => Promise<Response>, limit: BodyLimit): Promise<Response> {
  try {
    const response = await call()
    await assertNoRedirect(response, limit.endpoint)
    return toWholeResponse(response, await readLimitedBody(response, limit))
  } catch (error) {
    throw error instanceof ProviderError ? error : toUnreachable(error, limit.endpoint)
  }
}

/** The options with which the protocol library calls a provider. */
export interface ProtocolCallOptions {
  readonly headers: Record<string, string>
  // The library's own type differs by request; each of them is a fetch call with a URL as text.
  readonly [callWith]: (url: string, init: object) => Promise<Response>
  readonly [allowPlainHttp]: true
}

export function toCallOptions(providerFetch: typeof fetch): ProtocolCallOptions {
  return {
    headers: { "user-agent": userAgent },
    [callWith]: (url, init) => providerFetch(url, init),
    // The provider's fetch judges addresses, with loopback as the exception that the library does not know.
    [allowPlainHttp]: true,
  }
}

function toAddress(input: string | URL | Request): string {
  return typeof input === "object" && "url" in input ? input.url : String(input)
}

function toHeaders(input: string | URL | Request, init: RequestInit | undefined): Record<string, string> {
  const own = typeof input === "object" && "headers" in input ? input.headers : undefined
  const headers = new Headers(init?.headers ?? own)
  if (!headers.has("accept")) headers.set("accept", "application/json")
  if (!headers.has("user-agent")) headers.set("user-agent", userAgent)
  return Object.fromEntries(headers)
}

/** A redirect would take the code, the client's secret or a token to an address that nobody configured. */
async function assertNoRedirect(response: Response, endpoint: EndpointKind): Promise<void> {
  const isRedirect = response.status === 0 || (response.status >= 300 && response.status < 400)
  if (!isRedirect && !response.redirected) return
  await response.body?.cancel?.()
  const status = response.status === 0 ? undefined : response.status
  throw new ProviderError(`The ${endpoint} endpoint redirects, which is not followed`, {
    code: "redirected",
    endpoint,
    status,
  })
}

function toWholeResponse(response: Response, body: Uint8Array<ArrayBuffer>): Response {
  const isBodyless = response.status === 204 || response.status === 205
  return new Response(isBodyless ? null : body, {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
  })
}

function toUnreachable(error: unknown, endpoint: EndpointKind): ProviderError {
  return new ProviderError(`The ${endpoint} endpoint cannot be reached${reasonOf(error)}`, {
    code: "unreachable",
    endpoint,
  })
}

/** A system error code such as ECONNREFUSED. The message is left out: a host's fetch may put the request into it. */
function reasonOf(error: unknown): string {
  for (const source of [error instanceof Error ? error.cause : undefined, error]) {
    if (typeof source !== "object" || source === null || !("code" in source)) continue
    if (typeof source.code === "string" && /^[A-Z][A-Z\d_]{2,40}$/.test(source.code)) return ` (${source.code})`
  }
  return error instanceof Error ? ` (${error.name})` : ""
}

interface BodyLimit {
  readonly maxBytes: number
  readonly endpoint: EndpointKind
  /** Ends the reading. */
  readonly signal: AbortSignal
}

/** Reads a whole body, counting what arrives: `Content-Length` may be absent, or speak of the compressed size. */
async function readLimitedBody(response: Response, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(response.headers.get("content-length")) > limit.maxBytes) {
    await response.body?.cancel?.()
    throw tooLarge(limit)
  }
  // A host's own fetch may answer with a body that is not a Web stream.
  if (typeof response.body?.getReader !== "function") return readAtOnce(response, limit)
  return joinBytes(await readChunks(response.body.getReader(), limit))
}

async function readAtOnce(response: Response, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.byteLength > limit.maxBytes) throw tooLarge(limit)
  return bytes
}

async function readChunks(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limit: BodyLimit,
): Promise<readonly Uint8Array[]> {
  const stop = () => void reader.cancel().catch(() => undefined)
  limit.signal.addEventListener("abort", stop, { once: true })
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength
      if (size > limit.maxBytes) throw tooLarge(limit)
      chunks.push(next.value)
    }
    return chunks
  } catch (error) {
    stop()
    throw error
  } finally {
    limit.signal.removeEventListener("abort", stop)
  }
}

function tooLarge({ endpoint, maxBytes }: BodyLimit): ProviderError {
  return new ProviderError(`The ${endpoint} endpoint answered more than ${maxBytes} bytes`, {
    code: "too-large",
    endpoint,
  })
}

export type JsonAnswer = Record<string, unknown>

export function isObject(value: unknown): value is JsonAnswer {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * The JSON object in an answer with a 2xx status, whatever media type the provider calls it.
 * @throws ProviderError
 */
export async function parseJsonAnswer(response: Response, endpoint: EndpointKind): Promise<JsonAnswer> {
  const { status } = response
  if (!response.ok) {
    throw new ProviderError(`The ${endpoint} endpoint refused`, { code: "refused", endpoint, status })
  }
  const answer = parseJson(await response.text())
  if (isObject(answer)) return answer
  throw new ProviderError(`The ${endpoint} endpoint did not answer a JSON object`, {
    code: "not-json",
    endpoint,
    status,
  })
}

/** Undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // Which no JSON text means.
  }
}
