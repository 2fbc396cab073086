import type { JWKS } from "oauth4webapi"
import { fromBase64url } from "../crypto/encoding.js"
import { signatures, type Verdict } from "../crypto/signature.js"
import type { Awaitable } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { ProviderContext, ProviderServer } from "./endpoints.js"
import { ProviderError } from "./errors.js"
import { isObject, type JsonAnswer, parseJson } from "./fetch.js"

/** A compact JWS taken apart, RFC 7515 section 3.1. Nothing in it is verified. */
export interface UnverifiedToken {
  readonly header: JsonAnswer
  readonly claims: JsonAnswer
  /** What the signature covers. */
  readonly signedText: string
  readonly signature: Uint8Array<ArrayBuffer>
}

/** @throws ProviderError when the text is not a signed token: an encrypted one, for instance. */
export function parseSignedToken(text: string): UnverifiedToken {
  const [protectedHeader = "", payload = "", encodedSignature = "", ...rest] = text.split(".")
  const header = parsePart(protectedHeader)
  const claims = parsePart(payload)
  const signature = fromBase64url(encodedSignature)
  if (rest.length > 0 || header === null || claims === null || signature === null) {
    throw new ProviderError("The provider sent a token that is not a signed JWT", { code: "not-a-jwt" })
  }
  return { header, claims, signedText: `${protectedHeader}.${payload}`, signature: new Uint8Array(signature) }
}

function parsePart(part: string): JsonAnswer | null {
  const bytes = fromBase64url(part)
  const value = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
  return isObject(value) ? value : null
}

/** The header's key id, where it names one. */
function findKeyId({ header }: UnverifiedToken): string | undefined {
  return typeof header["kid"] === "string" ? header["kid"] : undefined
}

/** The provider's keys, those of an unknown key id fetched anew. */
export async function findKeys(
  token: UnverifiedToken,
  { provider, server, endpoints }: ProviderContext,
): Promise<JWKS> {
  const jwksUri = server.metadata.jwks_uri
  if (jwksUri === undefined) throw refusal("no-endpoints", "The provider has no jwks_endpoint to verify with")
  return endpoints.findKeys(provider, { jwksUri, keyId: findKeyId(token) })
}

/**
 * Verifies a token with the provider's own keys, RFC 7515 section 5.2. That its algorithm is one to be accepted was
 * decided before.
 * @throws ProviderError
 */
export async function verifySignature(token: UnverifiedToken, context: ProviderContext): Promise<void> {
  const { keys } = await findKeys(token, context)
  const { signedText: text, signature, header } = token
  const signed = { text, signature, alg: String(header["alg"]), kid: findKeyId(token) }
  const verdict = await judge(() => signatures.verify(signed, keys))
  if (verdict !== "right") throw refusal("signature", mistakes[verdict])
}

async function judge(verify: () => Awaitable<Verdict>): Promise<Verdict | "broken key"> {
  try {
    return await verify()
  } catch {
    // What the platform says of a key may quote it.
    return "broken key"
  }
}

const mistakes: Readonly<Record<Exclude<Verdict, "right"> | "broken key", string>> = {
  wrong: "The signature of the token is wrong",
  "no key": "The provider has no key that fits the token's signature",
  "several keys": "Several keys of the provider fit the token's signature, which names none",
  "broken key": "The provider's key for the token's signature cannot be used",
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code })
}

const publicKeyAlgorithms = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/
const secretAlgorithms = /^HS(?:256|384|512)$/

/** Whether a signature is made with the client's secret. */
export function isSecretAlgorithm(algorithm: string): boolean {
  return secretAlgorithms.test(algorithm)
}

interface AlgorithmSources {
  /** Of the host's option. */
  readonly path: string
  /** What the host says. */
  readonly registered: string | undefined
  /** What the provider's metadata says. */
  readonly announced: unknown
  /** Whether the host may declare signatures that are made with the client's secret. */
  readonly isSecretAllowed: boolean
}

/** RS256 unless the host or the metadata says otherwise: OpenID Connect Core 1.0 section 3.1.3.7 (7). */
export function findAlgorithms(sources: AlgorithmSources): readonly string[] {
  const { path, registered, announced, isSecretAllowed } = sources
  if (registered !== undefined) {
    if (publicKeyAlgorithms.test(registered) || (isSecretAllowed && isSecretAlgorithm(registered))) return [registered]
    throw new ProviderError(`${path}: "${registered}" is not supported`, { code: "algorithm" })
  }
  if (!Array.isArray(announced) || announced.includes("RS256")) return ["RS256"]
  // Announced secret signatures do not count: a public key could be taken for the secret.
  return announced.filter(
    (algorithm): algorithm is string => typeof algorithm === "string" && publicKeyAlgorithms.test(algorithm),
  )
}

/**
 * The one issuer whose token this may be, as its claims are held against it.
 * @throws ProviderError when there is none.
 */
export function getExpectedIssuer(provider: ResolvedOAuthProvider, server: ProviderServer, claims: JsonAnswer): string {
  const { iss } = claims
  if (!server.hasIssuer && !provider.isIssuer) {
    throw signerRefusal("no-issuer", "The provider needs an issuer, which tokens are compared with")
  }
  const { issuer } = server.metadata
  if (typeof iss === "string" && provider.isIssuer?.(iss, claims) === true) return iss
  // A template for many tenants is the issuer of none.
  if (issuer.includes("{")) throw signerRefusal("wrong-issuer", "The token is of no issuer that the provider accepts")
  return issuer
}

function signerRefusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code })
}
