import type { JWKS } from "oauth4webapi"
import { fromBase64url } from "../crypto/encoding.js"
import { signatures, type Verdict } from "../crypto/signature.js"
import { isRecord, parseJson } from "../runtime/json.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { ProviderContext, ProviderServer } from "./endpoints.js"
import { ProviderError } from "./errors.js"
import type { JsonAnswer } from "./fetch.js"

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
  if (rest.length > 0 || header === null || claims === null || signature === null) {
    throw refusal("not-a-jwt", "The provider sent a token that is not a signed JWT")
  }
  return { header, claims, signedText: `${protectedHeader}.${payload}`, signature: new Uint8Array(signature) }
}

function parsePart(part: string): JsonAnswer | null {
  const bytes = fromBase64url(part)
  const value = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
  return isRecord(value) ? value : null
}

/** The provider's keys, fetched again if the token's key id is unknown. */
export async function findKeys(
  token: UnverifiedToken,
  { provider, server, endpoints }: ProviderContext,
): Promise<JWKS> {
  const jwksUri = server.metadata.jwks_uri
  if (jwksUri === undefined) throw refusal("no-endpoints", "The provider has no jwks_endpoint to verify with")
  return endpoints.findKeys(provider, { jwksUri, keyId: findKeyId(token) })
}

/**
 * Verifies a token's signature with the provider's keys, RFC 7515 section 5.2. The caller checks the algorithm first.
 * @throws ProviderError
 */
export async function verifySignature(token: UnverifiedToken, context: ProviderContext): Promise<void> {
  const { keys } = await findKeys(token, context)
  const { signedText: text, signature, header } = token
  const signed = { text, signature, alg: String(header["alg"]), kid: findKeyId(token) }
  let verdict: Verdict | "broken key"
  try {
    verdict = await signatures.verify(signed, keys)
  } catch {
    verdict = "broken key" // The platform's error is dropped, since it may quote the key.
  }
  if (verdict !== "right") throw refusal("signature", signatureErrors[verdict])
}

const signatureErrors: Readonly<Record<Exclude<Verdict, "right"> | "broken key", string>> = {
  wrong: "The signature of the token is wrong",
  "no key": "The provider has no key that fits the token's signature",
  "several keys": "Several keys of the provider fit the token's signature, which has no key id",
  "broken key": "The provider's key for the token's signature cannot be used",
}

function findKeyId({ header }: UnverifiedToken): string | undefined {
  return typeof header["kid"] === "string" ? header["kid"] : undefined
}

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

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code })
}
