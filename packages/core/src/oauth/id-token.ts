import { type AuthorizationServer, type IDToken, jwksCache, validateApplicationLevelSignature } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import { toBase64url } from "../crypto/base64url.js"
import { clockToleranceSeconds } from "./client.js"
import type { ProviderEndpoints, ProviderServer } from "./endpoints.js"
import { toLogText } from "./log-text.js"
import { ProviderError } from "./provider-error.js"
import { findKeyId, type UnverifiedToken } from "./signed-token.js"

const signatures = /^(?:(?:RS|PS|ES)(?:256|384|512)|EdDSA|Ed25519)$/
const secretSignatures = /^HS(?:256|384|512)$/

/** An ID token was made for this very sign-in; one that is older was kept by somebody. */
const maxTokenAgeSeconds = 60 * 60

/**
 * The server as an ID token's claims are held against it: with the one issuer and the algorithms that are accepted.
 * @throws ProviderError when the token's issuer or algorithm is another.
 */
export function toExpectedServer(
  provider: ResolvedOAuthProvider,
  server: ProviderServer,
  token: UnverifiedToken,
): AuthorizationServer {
  const algorithms = findAlgorithms(provider, server.metadata)
  const used = String(token.header["alg"])
  if (!algorithms.includes(used)) {
    const hint = `expected ${algorithms.join(" or ")}; set client.id_token_signed_response_alg if the app is registered otherwise`
    throw refusal("algorithm", `The ID token is signed with "${toLogText(used, 20)}" (${hint})`)
  }
  return {
    ...server.metadata,
    issuer: getIssuer(provider, server, token.claims),
    id_token_signing_alg_values_supported: [...algorithms],
  }
}

/** RS256 unless the host or the metadata says otherwise: OpenID Connect Core 1.0 section 3.1.3.7 (7). */
function findAlgorithms(provider: ResolvedOAuthProvider, metadata: AuthorizationServer): readonly string[] {
  const registered = provider.client?.id_token_signed_response_alg
  if (registered !== undefined) {
    if (signatures.test(registered) || secretSignatures.test(registered)) return [registered]
    throw refusal(
      "algorithm",
      `providers.${provider.id}.client.id_token_signed_response_alg: "${registered}" is not supported`,
    )
  }
  const announced = metadata.id_token_signing_alg_values_supported
  if (!Array.isArray(announced) || announced.includes("RS256")) return ["RS256"]
  // Announced secret signatures do not count: a public key could be taken for the secret.
  return announced.filter(
    (algorithm): algorithm is string => typeof algorithm === "string" && signatures.test(algorithm),
  )
}

function getIssuer(provider: ResolvedOAuthProvider, server: ProviderServer, claims: UnverifiedToken["claims"]): string {
  const { iss } = claims
  if (!server.hasIssuer && !provider.isIssuer) {
    throw refusal("no-issuer", "The provider needs an issuer, which ID tokens are compared with")
  }
  const { issuer } = server.metadata
  if (typeof iss === "string" && provider.isIssuer?.(iss, claims) === true) return iss
  // A template for many tenants is the issuer of none.
  if (issuer.includes("{")) throw refusal("wrong-issuer", "The ID token is of no issuer that the provider accepts")
  return issuer
}

export interface IdTokenContext {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly endpoints: ProviderEndpoints
}

/**
 * Verifies what the protocol library leaves open in the code flow: signature, age, and the hash of the access token.
 * @throws ProviderError, or an error of the protocol library.
 */
export async function verifyIdToken(
  { token, response, claims, accessToken }: VerifiableIdToken,
  context: IdTokenContext,
): Promise<void> {
  if (secretSignatures.test(String(token.header["alg"]))) await verifySecretSignature(token, context.provider)
  else await verifySignature(response, token, context)
  assertRecent(claims, context.endpoints.clock())
  await assertAccessTokenHash(token, claims, accessToken)
}

export interface VerifiableIdToken {
  readonly token: UnverifiedToken
  /** The answer that the protocol library took the token from. */
  readonly response: Response
  readonly claims: IDToken
  readonly accessToken: string
}

/** Verifies the signature of a token that the protocol library took from `response`, with the provider's own keys. */
export async function verifySignature(
  response: Response,
  token: UnverifiedToken,
  { provider, server, endpoints }: IdTokenContext,
): Promise<void> {
  const jwksUri = server.metadata.jwks_uri
  if (jwksUri === undefined) throw refusal("no-endpoints", "The provider has no jwks_endpoint to verify with")
  const jwks = await endpoints.findKeys(provider, { jwksUri, keyId: findKeyId(token) })
  // The library keeps keys for each server object and asks for them itself when they are old. Both are done here, so it
  // gets an object of its own and keys that never age.
  const cache = { jwks, uat: Number.MAX_SAFE_INTEGER }
  await validateApplicationLevelSignature({ ...server.metadata }, response, { [jwksCache]: cache })
}

/** HMAC with the client's secret, RFC 7518 section 3.2; only where the host declared such an algorithm. */
async function verifySecretSignature(token: UnverifiedToken, { clientSecret }: ResolvedOAuthProvider): Promise<void> {
  const encoder = new TextEncoder()
  const hash = `SHA-${String(token.header["alg"]).slice(2)}`
  if (!clientSecret) throw refusal("signature", "The ID token is signed with the client's secret, which is not set")
  const algorithm = { name: "HMAC", hash }
  const key = await crypto.subtle.importKey("raw", encoder.encode(clientSecret), algorithm, false, ["verify"])
  const isValid = await crypto.subtle.verify("HMAC", key, token.signature, encoder.encode(token.signedText))
  if (!isValid) throw refusal("signature", "The signature of the ID token is wrong")
}

/** OpenID Connect Core 1.0 section 3.1.3.7 (10). The library only looks at the type of `iat`. */
function assertRecent({ iat }: IDToken, nowMs: number): void {
  const ageSeconds = nowMs / 1000 - iat
  if (ageSeconds > maxTokenAgeSeconds) throw refusal("token-age", "The ID token was issued too long ago")
  if (ageSeconds < -clockToleranceSeconds - 1) throw refusal("token-age", "The ID token was issued in the future")
}

/** OpenID Connect Core 1.0 section 3.1.3.8: optional in the code flow, binding where it is there. */
async function assertAccessTokenHash(token: UnverifiedToken, claims: IDToken, accessToken: string): Promise<void> {
  const stated = claims["at_hash"]
  if (stated === undefined) return
  const bits = /(?:256|384|512)$/.exec(String(token.header["alg"]))?.[0]
  // Ed25519 has no length in its name and hashes with SHA-512.
  const hash = `SHA-${bits ?? "512"}`
  const digest = new Uint8Array(await crypto.subtle.digest(hash, new TextEncoder().encode(accessToken)))
  if (stated === toBase64url(digest.slice(0, digest.length / 2))) return
  throw refusal("access-token-hash", "The ID token was not made for this access token")
}

function refusal(code: string, message: string): ProviderError {
  return new ProviderError(message, { code, endpoint: "token" })
}
