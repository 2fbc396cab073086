import type { JWKS } from "oauth4webapi"
import { BoundedMap } from "../runtime/cache.js"
import { isRecord } from "../runtime/json.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { ProviderError } from "./errors.js"
import { createProviderFetch, fetchOf, type JsonAnswer, parseJsonAnswer } from "./fetch.js"

interface Entry<T> {
  document: Promise<T>
  fetchedAtMs: number
  refreshedAtMs: number
}

interface DocumentCacheOptions {
  readonly maxAgeMs: number
  /** At most one refresh per cooldown. Default: 30 seconds. */
  readonly cooldownMs?: number
  /** Number of documents. Default: 100. */
  readonly capacity?: number
}

/** Caches documents of providers. Concurrent fetches are shared; failures are not cached. */
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

  /** Makes the next caller fetch it again: an unusable document may have been fixed since. */
  forget(key: string): void {
    const entry = this.#entries.get(key)
    if (entry) entry.fetchedAtMs = -Infinity
  }

  /** Fetches a cached document again, unless the cooldown is running. If that fails, the former document stays. */
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

const keySets = new CacheByFetch<JWKS>({ maxAgeMs: 10 * 60 * 1000, cooldownMs: 30 * 1000 })

export interface KeySearch {
  readonly jwksUri: string
  /** The `kid` of the JWS header, if it has one. */
  readonly keyId: string | undefined
  readonly nowMs: number
}

/**
 * The signing keys of a provider, RFC 7517. An unknown key id means that the provider rotated its keys, so that they are
 * fetched again, but only once per cooldown, since the sender chooses the key id.
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
  throw new ProviderError("The jwks endpoint did not return a key set", {
    code: "no-keys",
    endpoint: "jwks",
    status: response.status,
  })
}

function isKeySet(answer: JsonAnswer): answer is JsonAnswer & JWKS {
  return Array.isArray(answer["keys"]) && answer["keys"].every(isRecord)
}
