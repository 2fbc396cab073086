import type { JWKS } from "oauth4webapi"
import { primitives } from "#crypto"
import type { Bytes, Primitives, PublicJwk, SignatureAlgorithm, Verifier } from "../crypto/backend.js"
import { fromBase64url } from "../crypto/encoding.js"
import { isRecord, parseJson } from "../runtime/json.js"
import { andThen, attempt } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { ProviderContext, ProviderServer } from "./endpoints.js"
import { ProviderError, refusalsOf } from "./errors.js"
import { CacheByFetch, createProviderFetch, fetchOf, type JsonAnswer, parseJsonAnswer, reasonOf } from "./fetch.js"

/** A parsed compact JWS, RFC 7515 section 3.1. Nothing in it is verified. */
export interface UnverifiedToken {
  readonly header: JsonAnswer
  readonly claims: JsonAnswer
  /** What the signature covers. */
  readonly signedText: string
  readonly signature: Uint8Array<ArrayBuffer>
}

/** @throws ProviderError when the text is not a signed token, e.g. an encrypted one */
export function parseSignedToken(text: string): UnverifiedToken {
  const [protectedHeader = "", payload = "", encodedSignature = "", ...rest] = text.split(".")
  const header = parsePart(protectedHeader)
  const claims = parsePart(payload)
  const signature = fromBase64url(encodedSignature)
  // RFC 7515 section 4.1.11: an extension that is not understood makes the token invalid. None is.
  if (rest.length > 0 || header === null || "crit" in header || claims === null || signature === null) {
    throw refusal("not-a-jwt", "The provider sent a token that is not a signed JWT, or has a critical header")
  }
  return { header, claims, signedText: `${protectedHeader}.${payload}`, signature }
}

/** Whether a token is for the client of a provider: `aud` is one text or a list, RFC 7519 section 4.1.3. */
export function isForClient({ claims: { aud } }: UnverifiedToken, { clientId }: ResolvedOAuthProvider): boolean {
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return audiences.includes(clientId)
}

const decoder = new TextDecoder()

function parsePart(part: string): JsonAnswer | null {
  const bytes = fromBase64url(part)
  const value = bytes === null ? undefined : parseJson(decoder.decode(bytes))
  return isRecord(value) ? value : null
}

const keySets = new CacheByFetch<JWKS>({ maxAgeMs: 10 * 60 * 1000, cooldownMs: 30 * 1000 })

/**
 * The signing keys of a provider, RFC 7517. An unknown key id means that the provider rotated its keys, so that they are
 * fetched again, but only once per cooldown, since the sender chooses the key id.
 * @throws ProviderError
 */
function findKeys(token: UnverifiedToken, { provider, server, endpoints }: ProviderContext): Awaitable<JWKS> {
  const jwksUri = server.metadata.jwks_uri
  if (jwksUri === undefined) throw refusal("no-endpoints", "The provider has no jwks_endpoint to verify with")
  const keyId = findKeyId(token)
  const nowMs = endpoints.clock()
  const cache = keySets.of(fetchOf(provider))
  const loading = toLoading(jwksUri, { provider, endpoints })
  return andThen(cache.get(jwksUri, nowMs, loading), (known) =>
    keyId === undefined || known.keys.some((key) => key.kid === keyId) ? known : cache.refresh(jwksUri, nowMs, loading),
  )
}

/**
 * Fetches the signing keys unless they are cached. Called before a request for a token that cannot be repeated: without the
 * keys, the token could not be verified.
 * @throws ProviderError
 */
export async function fetchKeysAhead({ provider, server, endpoints }: ProviderContext): Promise<void> {
  const uri = server.metadata.jwks_uri
  if (uri === undefined) return
  await keySets.of(fetchOf(provider)).get(uri, endpoints.clock(), toLoading(uri, { provider, endpoints }))
}

/** Keys that are known stay when the provider publishes only unsound ones, as an empty set leaves them. */
function toLoading(jwksUri: string, { provider, endpoints }: Pick<ProviderContext, "provider" | "endpoints">) {
  return {
    load: () => fetchKeys(provider, jwksUri),
    isSound: ({ keys }: JWKS) => keys.some(isSound),
    onKept: () => endpoints.log?.warnOnce("keys-unsound", `provider ${provider.id}: ${jwksUri}`),
  }
}

/**
 * Fetches the keys again if none has the key id of a token, whether or not the cooldown is running: for a token that came
 * from the provider itself, so that no one else chose the key id.
 * @throws ProviderError
 */
export async function fetchUnknownKey(token: UnverifiedToken, context: ProviderContext): Promise<void> {
  const { provider, server } = context
  const uri = server.metadata.jwks_uri
  const { keys } = await findKeys(token, context)
  if (uri === undefined || keys.some(({ kid }) => kid === findKeyId(token))) return
  keySets.of(fetchOf(provider)).forget(uri)
  await fetchKeysAhead(context)
}

async function fetchKeys(provider: ResolvedOAuthProvider, jwksUri: string): Promise<JWKS> {
  const accept = "application/jwk-set+json, application/json"
  const response = await createProviderFetch(provider, "jwks")(jwksUri, { headers: { accept } })
  const answer = await parseJsonAnswer(response, "jwks")
  // An empty set, such as that of a server that is starting, must not take the place of keys that are known.
  if (isKeySet(answer) && answer.keys.length > 0)
    return { keys: answer.keys.filter(({ kty, e }) => kty !== "RSA" || isSoundExponent(e)) }
  throw new ProviderError(`The jwks endpoint did not return ${isKeySet(answer) ? "any key" : "a key set"}`, {
    code: "no-keys",
    endpoint: "jwks",
    status: response.status,
  })
}

const curves: Readonly<Record<string, string>> = { 256: "P-256", 384: "P-384", 512: "P-521" }

/**
 * Finds an algorithm with public keys by its `alg`. Undefined for all others, including `none` and shared secrets.
 */
function findSignatureAlgorithm(alg: string): SignatureAlgorithm | undefined {
  if (alg === "EdDSA" || alg === "Ed25519") {
    return { kty: "OKP", curve: "Ed25519", scheme: "Ed25519", hash: undefined, saltLength: 0 }
  }
  const [, family, length = ""] = /^(RS|PS|ES)(256|384|512)$/.exec(alg) ?? []
  if (family === undefined) return undefined
  const hash = `SHA-${length}` as `SHA-${256 | 384 | 512}` // as: one of the lengths above.
  if (family === "ES") return { kty: "EC", curve: curves[length], scheme: "ECDSA", hash, saltLength: 0 }
  const scheme = family === "RS" ? "RSASSA-PKCS1-v1_5" : "RSA-PSS"
  return { kty: "RSA", curve: undefined, scheme, hash, saltLength: Number(length) / 8 }
}

/** Whether a key can verify a signature of some algorithm. */
function isSound(jwk: PublicJwk): boolean {
  const { kty, d, n, use, key_ops } = jwk
  // A private key: anyone who reads the set could sign with it.
  if (d !== undefined || (use !== undefined && use !== "sig")) return false
  if (Array.isArray(key_ops) && !key_ops.includes("verify")) return false
  return kty === "RSA" ? typeof n === "string" && n.length >= minModulusLength : kty === "EC" || kty === "OKP"
}

function isKeySet(answer: JsonAnswer): answer is JsonAnswer & JWKS {
  return Array.isArray(answer["keys"]) && answer["keys"].every(isRecord)
}

/**
 * Verifies a token's signature with the provider's keys, RFC 7515 section 5.2. The caller checks the algorithm first.
 * @throws ProviderError
 */
export function verifySignature(token: UnverifiedToken, context: ProviderContext): Awaitable<void> {
  const { signedText: text, signature, header } = token
  const signed = { text, signature, alg: String(header["alg"]), kid: findKeyId(token) }
  return andThen(findKeys(token, context), ({ keys }) => {
    const verifying = attempt(
      () => signatures.verify(signed, keys),
      (error) => {
        const fault = `This platform cannot verify ${signed.alg} with the provider's key${reasonOf(error)}`
        throw refusal("signature", fault)
      },
    )
    return andThen(verifying, (verdict) => {
      if (verdict !== "right") throw refusal("signature", signatureErrors[verdict])
    })
  })
}

const signatureErrors: Readonly<Record<Exclude<Verdict, "right">, string>> = {
  wrong: "The signature of the token is wrong",
  "no key": "The provider has no key that fits the token's signature",
  "several keys": "Several keys of the provider fit the token's signature, which has no key id",
}

function findKeyId({ header }: UnverifiedToken): string | undefined {
  return typeof header["kid"] === "string" ? header["kid"] : undefined
}

/** A text with its signature, such as the two halves of a JWS. */
export interface SignedText {
  readonly text: string
  readonly signature: Bytes
  /** `alg` of the JWS header. The caller checked that it is allowed. */
  readonly alg: string
  /** `kid` of the JWS header, if present. */
  readonly kid: string | undefined
}

/** Minimum size of an RSA key, RFC 7518 section 3.3, in characters of base64url. */
const minModulusLength = Math.ceil(2048 / 6)

/** The result of a verification. `several keys`: it is unknown which of the matching keys is meant. */
type Verdict = "right" | "wrong" | "no key" | "several keys"

/** Verifies signatures with the one matching key of a set. */
interface Signatures {
  /** Throws if the matching key is malformed. */
  verify(signed: SignedText, keys: readonly PublicJwk[]): Awaitable<Verdict>
}

/** @internal Exported so that tests can run it on every platform. */
export function createSignatures(platform: Primitives): Signatures {
  // Imported keys, for as long as the caller keeps the key set.
  const imported = new WeakMap<PublicJwk, Map<string, Verifier>>()

  function verifierOf(jwk: PublicJwk, alg: string, algorithm: SignatureAlgorithm): Awaitable<Verifier> {
    const verifiers = imported.get(jwk) ?? new Map<string, Verifier>()
    imported.set(jwk, verifiers)
    const keep = (verifier: Verifier): Verifier => {
      verifiers.set(alg, verifier)
      return verifier
    }
    return verifiers.get(alg) ?? andThen(platform.createVerifier(jwk, algorithm), keep)
  }

  function verify(signed: SignedText, keys: readonly PublicJwk[]): Awaitable<Verdict> {
    const algorithm = findSignatureAlgorithm(signed.alg)
    if (!algorithm) return "no key"
    const [key, ...others] = keys.filter((jwk) => isMeant(jwk, signed) && fits(jwk, signed.alg, algorithm))
    if (!key) return "no key"
    if (others.length > 0) return "several keys"
    return andThen(verifierOf(key, signed.alg, algorithm), (verifier) =>
      andThen(verifier(signed.text, signed.signature), (isRight) => (isRight ? "right" : "wrong")),
    )
  }

  return { verify }
}

function isMeant({ kid }: PublicJwk, signed: SignedText): boolean {
  return signed.kid === undefined || kid === signed.kid
}

/** Whether the members of a key, RFC 7517 section 4, allow this use. */
function fits(jwk: PublicJwk, wanted: string, algorithm: SignatureAlgorithm): boolean {
  const { kty, crv, alg } = jwk
  if (!isSound(jwk)) return false
  if (kty !== algorithm.kty || (algorithm.curve !== undefined && crv !== algorithm.curve)) return false
  return (
    alg === undefined || alg === wanted || (algorithm.scheme === "Ed25519" && (alg === "EdDSA" || alg === "Ed25519"))
  )
}

/**
 * The public exponent of an RSA key must be odd and at least 3, RFC 8017 section 3.1. With 1, every padded hash is its own
 * signature, and some platforms accept such a key.
 */
function isSoundExponent(e: unknown): boolean {
  const bytes = typeof e === "string" ? fromBase64url(e) : null
  const last = bytes?.at(-1) ?? 0
  return last % 2 === 1 && (last > 1 || (bytes?.slice(0, -1).some((byte) => byte > 0) ?? false))
}

/** Signatures with the cryptography of this platform. */
const signatures: Signatures = createSignatures(primitives)

const publicKeyAlgorithms = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/
const secretAlgorithms = /^HS(?:256|384|512)$/

/** Whether the signature is an HMAC with the client secret. */
export function isSecretAlgorithm(algorithm: string): boolean {
  return secretAlgorithms.test(algorithm)
}

interface AlgorithmSources {
  /** Path of the host's option, for the error. */
  readonly path: string
  /** The host's option. */
  readonly registered: string | undefined
  /** The list in the provider's metadata. */
  readonly announced: unknown
  /** Whether the host may register an HMAC with the client secret. */
  readonly isSecretAllowed: boolean
}

/**
 * The accepted algorithms: RS256 unless the host or the metadata names others, OpenID Connect Core 1.0 section 3.1.3.7
 * (7).
 */
export function findAlgorithms(sources: AlgorithmSources): readonly string[] {
  const { path, registered, announced, isSecretAllowed } = sources
  if (registered !== undefined) {
    if (publicKeyAlgorithms.test(registered) || (isSecretAllowed && isSecretAlgorithm(registered))) return [registered]
    throw refusal("algorithm", `${path}: "${registered}" is not supported`)
  }
  if (!Array.isArray(announced) || announced.includes("RS256")) return ["RS256"]
  // An announced HMAC does not count: an attacker could use a public key as its secret.
  return announced.filter(
    (algorithm): algorithm is string => typeof algorithm === "string" && publicKeyAlgorithms.test(algorithm),
  )
}

/**
 * The issuer that a token must have.
 * @throws ProviderError when the provider has no issuer, or a template that does not accept the token's
 */
export function getExpectedIssuer(provider: ResolvedOAuthProvider, server: ProviderServer, claims: JsonAnswer): string {
  const { iss } = claims
  if (!server.hasIssuer && !provider.isIssuer) {
    throw refusal("no-issuer", "The provider needs an issuer, which tokens are compared with")
  }
  const { issuer } = server.metadata
  if (typeof iss === "string" && provider.isIssuer?.(iss, claims) === true) return iss
  // A template for many tenants is not an issuer itself.
  if (issuer.includes("{")) throw refusal("wrong-issuer", "The provider does not accept the issuer of the token")
  return issuer
}

const refusal = refusalsOf({})
