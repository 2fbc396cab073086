import type { JWKS } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import { CacheByFetch } from "./document-cache.js"
import { isObject, type JsonAnswer, parseJsonAnswer } from "./json-object.js"
import { ProviderError } from "./provider-error.js"
import { createProviderFetch, fetchOf } from "./provider-fetch.js"

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
