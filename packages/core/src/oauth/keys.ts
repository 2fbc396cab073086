import type { JWKS } from "oauth4webapi"
import { BoundedMap } from "../runtime/cache.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { ProviderError } from "./errors.js"
import { createProviderFetch, fetchOf, isObject, type JsonAnswer, parseJsonAnswer } from "./fetch.js"

interface Entry<T> {
  document: Promise<T>
  fetchedAtMs: number
  refreshedAtMs: number
}

interface DocumentCacheOptions {
  readonly maxAgeMs: number
  /** At most one refresh in this time. Default: 30 seconds. */
  readonly cooldownMs?: number
  /** How many documents are kept. Default: 100. */
  readonly capacity?: number
}

/** Remembers documents of providers for a while. Fetches in flight are shared; failures are not remembered. */
class DocumentCache<T> {
  readonly #entries: BoundedMap<string, Entry<T>>
  readonly #maxAgeMs: number
  readonly #cooldownMs: number

  constructor({ maxAgeMs, cooldownMs = 30_000, capacity = 100 }: DocumentCacheOptions) {
    this.#entries = new BoundedMap(capacity)
    this.#maxAgeMs = maxAgeMs
    this.#cooldownMs = cooldownMs
  }

  get(key: string, nowMs: number, load: () => Promise<T>): Promise<T> {
    const known = this.#entries.get(key)
    if (known && nowMs - known.fetchedAtMs < this.#maxAgeMs) return known.document
    const entry: Entry<T> = { document: load(), fetchedAtMs: nowMs, refreshedAtMs: -Infinity }
    this.#entries.set(key, entry)
    entry.document.catch(() => {
      entry.fetchedAtMs = -Infinity
    })
    return entry.document
  }

  /** The next caller fetches it anew: a document that cannot be used may have been mended since. */
  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry) entry.fetchedAtMs = -Infinity
  }

  /**
   * Fetches a known document anew because something is missing in it; in the cool-down it is taken as it is. A refresh
   * that fails leaves the former document in place.
   */
  refresh(key: string, nowMs: number, load: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key)
    if (!entry) return this.get(key, nowMs, load)
    if (nowMs - entry.refreshedAtMs < this.#cooldownMs) return entry.document
    const former = { document: entry.document, fetchedAtMs: entry.fetchedAtMs }
    Object.assign(entry, { document: load(), fetchedAtMs: nowMs, refreshedAtMs: nowMs })
    entry.document.catch(() => Object.assign(entry, former))
    return entry.document
  }
}

/**
 * One cache for each fetch function, so that it outlives configurations that are built anew for each request, and
 * hosts that reach providers in different ways do not share answers.
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

const keySets = new CacheByFetch<JWKS>({ maxAgeMs: 10 * 60 * 1000, cooldownMs: 30 * 1000 })

export interface KeySearch {
  readonly jwksUri: string
  /** `kid` of the JWS header, where it names one. */
  readonly keyId: string | undefined
  readonly nowMs: number
}

/**
 * The keys with which a provider signs, RFC 7517. An unknown key id means that the provider changed its keys, so they
 * are fetched again, but not more than once in the cool-down: key ids are the sender's choice.
 * @throws ProviderError
 */
export async function findSigningKeys(provider: ResolvedOAuthProvider, search: KeySearch): Promise<JWKS> {
  const { jwksUri, keyId, nowMs } = search
  const cache = keySets.of(fetchOf(provider))
  const load = () => fetchKeys(provider, jwksUri)
  const known = await cache.get(jwksUri, nowMs, load)
  if (keyId === undefined || known.keys.some((key) => key.kid === keyId)) return known
  return cache.refresh(jwksUri, nowMs, load)
}

async function fetchKeys(provider: ResolvedOAuthProvider, jwksUri: string): Promise<JWKS> {
  const accept = "application/jwk-set+json, application/json"
  const response = await createProviderFetch(provider, "jwks")(jwksUri, { headers: { accept } })
  const answer = await parseJsonAnswer(response, "jwks")
  if (isKeySet(answer)) return answer
  throw new ProviderError("The jwks endpoint did not answer a key set", {
    code: "no-keys",
    endpoint: "jwks",
    status: response.status,
  })
}

function isKeySet(answer: JsonAnswer): answer is JsonAnswer & JWKS {
  return Array.isArray(answer["keys"]) && answer["keys"].every(isObject)
}
