import { allowInsecureRequests as allowPlainHttp, customFetch as callWith } from "oauth4webapi"
import { joinBytes } from "../crypto/encoding.js"
import { readBounded } from "../http/body.js"
import { isLoopbackHost } from "../http/ip-address.js"
import { BoundedMap } from "../runtime/cache.js"
import { isRecord, parseJson } from "../runtime/json.js"
import { isPromiseLike, withDeadline } from "../runtime/promise.js"
import { type Awaitable, customFetch } from "../types/basics.js"
import type { OAuthProviderFacts } from "../types/oauth-provider.js"
import { type EndpointKind, ProviderError } from "./errors.js"

type FetchingProvider = Pick<OAuthProviderFacts, "advanced" | typeof customFetch>

/** Some providers reject requests without a user agent. */
const userAgent = "latchkey"

const usualHeaders = { accept: "application/json", "user-agent": userAgent } as const

/** The provider's `customFetch`, or the global `fetch`. */
export function fetchOf(provider: FetchingProvider): typeof fetch {
  return provider[customFetch] ?? fetch
}

/**
 * The `fetch` for all calls to a provider: https (or plain http to this machine, or if the host allowed it), no
 * redirects, one deadline for the response and its body, and a size limit. The body has been read when it returns.
 * Responses of any status are returned, including 500: the callers reject them.
 * @throws ProviderError
 */
export function createProviderFetch(
  provider: FetchingProvider,
  endpoint: EndpointKind,
  reader?: BodyReader,
): typeof fetch {
  const { seconds = 10, bytes = 1024 * 1024 } = provider.advanced?.answerLimits ?? {}
  return async (input, init) => {
    assertSecureUrl(parseEndpoint(toAddress(input), endpoint), {
      endpoint,
      allowInsecureRequests: provider.advanced?.allowInsecureRequests,
    })
    const timeout = new AbortController()
    const signal = init?.signal ? AbortSignal.any([timeout.signal, init.signal]) : timeout.signal
    const call = () =>
      fetchOf(provider)(input, {
        ...init,
        headers: { ...usualHeaders, ...(reader ? init?.headers : toHeaders(input, init)) },
        redirect: "manual",
        signal,
      })
    return withDeadline(exchange(call, { endpoint, signal, maxBytes: bytes, reader }), seconds * 1000, () => {
      timeout.abort()
      return new ProviderError(`The ${endpoint} endpoint did not answer in time`, { code: "timed-out", endpoint })
    })
  }
}

async function exchange(call: () => Promise<Response>, limit: BodyLimit): Promise<Response> {
  try {
    const response = await call()
    if (isRedirect(response)) throw await refuseRedirect(response, limit.endpoint)
    return toWholeResponse(response, await readLimitedBody(response, limit), limit)
  } catch (error) {
    throw error instanceof ProviderError ? error : toUnreachable(error, limit.endpoint)
  }
}

/** Options of a call by the protocol library. */
export interface ProtocolCallOptions {
  readonly headers: Record<string, string>
  // The library's type differs by request; each is a fetch call with a URL as text.
  readonly [callWith]: (url: string, init: object) => Promise<Response>
  readonly [allowPlainHttp]: true
}

/** Options that make the protocol library call a provider with our `fetch`. */
export function toCallOptions(
  provider: FetchingProvider,
  endpoint: EndpointKind,
  reader: BodyReader = "library",
): ProtocolCallOptions {
  const providerFetch = createProviderFetch(provider, endpoint, reader)
  return {
    headers: { "user-agent": userAgent },
    [callWith]: (url, init) => providerFetch(url, init),
    // Our fetch checks the protocol itself, and allows loopback, which the library does not.
    [allowPlainHttp]: true,
  }
}

function toAddress(input: string | URL | Request): string {
  return typeof input === "object" && "url" in input ? input.url : String(input)
}

function toHeaders(input: string | URL | Request, init: RequestInit | undefined): Record<string, string> {
  const { headers }: { headers?: Headers } = Object(input) // Only a `Request` has some.
  return Object.fromEntries(new Headers(init?.headers ?? headers))
}

/** A redirect would send the code, the client secret or a token to an address that is not configured. */
function isRedirect({ status, redirected }: Response): boolean {
  return redirected || status === 0 || (status >= 300 && status < 400)
}

async function refuseRedirect(response: Response, endpoint: EndpointKind): Promise<ProviderError> {
  await response.body?.cancel?.()
  const status = response.status === 0 ? undefined : response.status
  return new ProviderError(`The ${endpoint} endpoint answered a redirect, which is not followed`, {
    code: "redirected",
    endpoint,
    status,
  })
}

function toWholeResponse(response: Response, body: Uint8Array<ArrayBuffer>, { reader }: BodyLimit): Response {
  if (reader === "readText" && response instanceof Response) {
    bodies.set(response, body)
    return response
  }
  const isBodyless = response.status === 204 || response.status === 205
  const whole = new Response(isBodyless ? null : body, {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(response.headers),
  })
  if (!isBodyless) bodies.set(whole, body)
  return whole
}

/**
 * Who reads the body of a response that the protocol library asked for, with headers in a record and their names in lower
 * case. `readText` needs no other response with the body. Default: anyone, after a request of anyone.
 */
export type BodyReader = "library" | "readText"

/** The bodies of responses that were read. Reading one from its response again would take fifteen promises. */
const bodies = new WeakMap<Response, Uint8Array<ArrayBuffer>>()

/** The text of a response that is not needed any more. A hook of the provider may have made it. */
export function readText(response: Response): Awaitable<string> {
  const body = bodies.get(response)
  return body ? new TextDecoder().decode(body) : response.text()
}

function toUnreachable(error: unknown, endpoint: EndpointKind): ProviderError {
  return new ProviderError(`The ${endpoint} endpoint cannot be reached${reasonOf(error)}`, {
    code: "unreachable",
    endpoint,
  })
}

/**
 * The code of an error such as ECONNREFUSED, else its name, in parentheses. Omits the message: that of a custom fetch may
 * quote the request, and that of a cryptographic function the key.
 */
export function reasonOf(error: unknown): string {
  for (const source of [error instanceof Error ? error.cause : undefined, error]) {
    if (typeof source !== "object" || source === null || !("code" in source)) continue
    if (typeof source.code === "string" && /^[A-Z][A-Z\d_]{2,40}$/.test(source.code)) return ` (${source.code})`
  }
  return error instanceof Error ? ` (${error.name})` : ""
}

interface BodyLimit {
  readonly reader: BodyReader | undefined
  readonly maxBytes: number
  readonly endpoint: EndpointKind
  /** Aborts reading. */
  readonly signal: AbortSignal
}

/** Reads a whole body and counts the bytes: `Content-Length` may be missing, or give the compressed size. */
async function readLimitedBody(response: Response, limit: BodyLimit): Promise<Uint8Array<ArrayBuffer>> {
  if (Number(response.headers.get("content-length")) > limit.maxBytes) {
    await response.body?.cancel?.()
    throw tooLarge(limit)
  }
  if (typeof response.body?.getReader !== "function") {
    // A custom fetch may return a body that is not a Web stream.
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.byteLength > limit.maxBytes) throw tooLarge(limit)
    return bytes
  }
  const chunks = await readBounded(response.body, limit.maxBytes, limit.signal)
  if (chunks === null) throw tooLarge(limit)
  return joinBytes(chunks)
}

function tooLarge({ endpoint, maxBytes }: BodyLimit): ProviderError {
  return new ProviderError(`The ${endpoint} endpoint answered more than ${maxBytes} bytes`, {
    code: "too-large",
    endpoint,
  })
}

export type JsonAnswer = Readonly<Record<string, unknown>>

/**
 * The JSON object in a response of any media type.
 * @throws ProviderError for a status other than 2xx, such as 500, and for anything but a JSON object
 */
export async function parseJsonAnswer(response: Response, endpoint: EndpointKind): Promise<JsonAnswer> {
  const { status } = response
  if (!response.ok) {
    throw new ProviderError(`The ${endpoint} endpoint answered with status ${status}`, {
      code: "refused",
      endpoint,
      status,
    })
  }
  const reading = readText(response)
  const text = isPromiseLike(reading) ? await reading : reading
  const answer = parseJson(text)
  if (isRecord(answer)) return answer
  const instead = text.trimStart().startsWith("<") ? ", but a page of HTML" : ""
  throw new ProviderError(`The ${endpoint} endpoint did not answer a JSON object${instead}`, {
    code: "not-json",
    endpoint,
    status,
  })
}

export interface AddressPolicy {
  readonly endpoint: EndpointKind
  /** Allows plain http. Default: false. */
  readonly allowInsecureRequests?: boolean | undefined
}

/** Requires https, except for plain http to this machine or if the host allowed it. */
export function assertSecureUrl(url: URL, { endpoint, allowInsecureRequests }: AddressPolicy): void {
  if (url.protocol === "https:") return
  if (url.protocol === "http:" && (allowInsecureRequests === true || isLoopbackHost(url.hostname))) return
  throw refuseAddress(`The ${endpoint} endpoint must be https: ${url.protocol}//${url.hostname}`, endpoint)
}

/** @throws ProviderError unless the text is an absolute URL without credentials, RFC 9110 section 4.2.4 */
export function parseEndpoint(text: string, endpoint: EndpointKind): URL {
  const url = URL.parse(text)
  if (url === null) throw refuseAddress(`The address of the ${endpoint} endpoint is not a URL`, endpoint)
  if (url.username === "" && url.password === "") return url
  throw refuseAddress(`The address of the ${endpoint} endpoint must have no user name and no password`, endpoint)
}

/** An address that must not be called. */
export function refuseAddress(message: string, endpoint: EndpointKind): ProviderError {
  return new ProviderError(message, { code: "address-refused", endpoint })
}

interface Entry<T> {
  document: T
  fetchedAtMs: number
  /** The same, even if the next caller is to fetch it again. */
  knownAtMs: number
  refreshedAtMs: number
}

interface DocumentCacheOptions {
  readonly maxAgeMs: number
  /** At most one refresh per cooldown. Default: 30 seconds. */
  readonly cooldownMs?: number
  /** Number of documents. Default: 100. */
  readonly capacity?: number
}

interface Loading<T> {
  readonly load: () => Promise<T>
  /** Whether a document can be used. One that cannot takes the place of no other. Default: always. */
  readonly isSound?: (document: T) => boolean
  /** Called for one that cannot be used. */
  readonly onKept?: () => void
}

/** A fetch that others may wait for. Data and no promise: see `DocumentCache`. */
interface Flight<T> {
  isOver: boolean
  /** Absent after a failure. */
  result?: { readonly document: T }
}

/** The cooldown after a refresh that failed: shorter, but the sender of a token must not choose how often a provider is asked. */
const failureCooldownMs = 2_000

/** How long a document stays while the provider has only unsound ones, in milliseconds. */
const maxKeptMs = 24 * 60 * 60 * 1000

/** How long a caller waits for the fetch of another, in milliseconds, and how often it looks. */
const patienceMs = 1000
const pauseMs = 20

/** Whether a time was this recently. One in the future was not: the clock was set back, by no one knows how much. */
function isWithin(ms: number, time: number, nowMs: number): boolean {
  return time <= nowMs && nowMs - time < ms
}

/**
 * Caches documents of providers. Failures are not cached. Concurrent callers share a fetch, but no promise: a worker's
 * platform ends the fetch of a visitor who leaves, and those who wait for its promise would wait forever. They look with
 * timers of their own, and fetch the document themselves when it takes too long.
 */
class DocumentCache<T> {
  readonly #entries: BoundedMap<string, Entry<T>>
  readonly #flights: BoundedMap<string, Flight<T>>
  readonly #maxAgeMs: number
  readonly #cooldownMs: number

  constructor({ maxAgeMs, cooldownMs = 30_000, capacity = 100 }: DocumentCacheOptions) {
    this.#entries = new BoundedMap(capacity)
    this.#flights = new BoundedMap(capacity)
    this.#maxAgeMs = maxAgeMs
    this.#cooldownMs = cooldownMs
  }

  get(key: string, nowMs: number, loading: Loading<T>): Awaitable<T> {
    const known = this.#entries.get(key)
    if (known && isWithin(this.#maxAgeMs, known.fetchedAtMs, nowMs)) return known.document
    return this.#share(key, async () => {
      const document = await loading.load()
      if (loading.isSound?.(document) === false) return keepFormer(document, known, nowMs, loading)
      this.#entries.set(key, { document, fetchedAtMs: nowMs, knownAtMs: nowMs, refreshedAtMs: -Infinity })
      return document
    })
  }

  /** Makes the next caller fetch it again: an unusable document may have been fixed since. */
  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry) entry.fetchedAtMs = -Infinity
  }

  /** Fetches a cached document again, unless the cooldown is running. If that fails, the former document stays. */
  async refresh(key: string, nowMs: number, loading: Loading<T>): Promise<T> {
    const entry = this.#entries.get(key)
    if (!entry) return this.get(key, nowMs, loading)
    if (isWithin(this.#cooldownMs, entry.refreshedAtMs, nowMs)) return entry.document
    return await this.#share(key, async () => {
      // Starts the cooldown at the end: a fetch that never ends must not keep the others from the new document.
      try {
        const document = await loading.load()
        if (loading.isSound?.(document) === false) {
          entry.refreshedAtMs = nowMs - this.#cooldownMs + failureCooldownMs
          return keepFormer(document, entry, nowMs, loading)
        }
        Object.assign(entry, { document, fetchedAtMs: nowMs, knownAtMs: nowMs, refreshedAtMs: nowMs })
        return document
      } catch (error) {
        // A provider that fails once must not be refused for the whole time.
        entry.refreshedAtMs = nowMs - this.#cooldownMs + failureCooldownMs
        throw error
      }
    })
  }

  async #share(key: string, load: () => Promise<T>): Promise<T> {
    const other = this.#flights.get(key)
    for (let waitedMs = 0; other && !other.isOver && waitedMs < patienceMs; waitedMs += pauseMs) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    if (other?.result) return other.result.document
    const own: Flight<T> = { isOver: false }
    this.#flights.set(key, own)
    try {
      const document = await load()
      own.result = { document }
      return document
    } finally {
      own.isOver = true
      if (this.#flights.get(key) === own) this.#flights.delete(key)
    }
  }
}

/** An unsound document is not remembered, so that the next caller asks again. */
function keepFormer<T>(document: T, known: Entry<T> | undefined, nowMs: number, { onKept }: Loading<T>): T {
  onKept?.()
  return known && isWithin(maxKeptMs, known.knownAtMs, nowMs) ? known.document : document
}

/**
 * One cache per fetch function: it outlives configurations that are rebuilt for each request, and hosts that reach
 * providers in different ways do not share documents.
 */
export class CacheByFetch<T> {
  readonly #caches = new WeakMap<typeof fetch, DocumentCache<T>>()
  readonly #options: DocumentCacheOptions

  constructor(options: DocumentCacheOptions) {
    this.#options = options
  }

  of(fetchFunction: typeof fetch): DocumentCache<T> {
    const known = this.#caches.get(fetchFunction)
    if (known) return known
    const created = new DocumentCache<T>(this.#options)
    this.#caches.set(fetchFunction, created)
    return created
  }
}
