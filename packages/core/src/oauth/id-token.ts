import type { AuthorizationServer, IDToken } from "oauth4webapi"
import { toBase64url } from "../crypto/encoding.js"
import { hashOf, isEqualInConstantTime } from "../crypto/hash.js"
import { andThen } from "../runtime/promise.js"
import type { Awaitable } from "../types/basics.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { toleranceOf } from "./client.js"
import type { ProviderContext, ProviderServer } from "./endpoints.js"
import { refusalsOf, toLogText } from "./errors.js"
import { findAlgorithms, getExpectedIssuer, isSecretAlgorithm, type UnverifiedToken, verifySignature } from "./jws.js"

/** An ID token is issued for one sign-in; an older one was stored and replayed. */
const maxTokenAgeSeconds = 60 * 60

/**
 * The server metadata that an ID token is validated against: with the expected issuer and the accepted algorithms.
 * @throws ProviderError when the token has another issuer or algorithm
 */
export function toExpectedServer(
  provider: ResolvedOAuthProvider,
  server: ProviderServer,
  token: UnverifiedToken,
): AuthorizationServer {
  const algorithms = findAcceptedAlgorithms(provider, server)
  const used = String(token.header["alg"])
  if (!algorithms.includes(used)) {
    const hint = `expected ${algorithms.join(" or ")}; set client.id_token_signed_response_alg if the app is registered with another`
    throw refusal("algorithm", `The ID token is signed with "${toLogText(used, 20)}" (${hint})`)
  }
  return {
    ...server.metadata,
    issuer: getExpectedIssuer(provider, server, token.claims),
    id_token_signing_alg_values_supported: [...algorithms],
  }
}

function findAcceptedAlgorithms(provider: ResolvedOAuthProvider, { metadata }: ProviderServer): readonly string[] {
  const registered = provider.client?.id_token_signed_response_alg
  if (registered === undefined && provider.idTokenAlgorithms) return provider.idTokenAlgorithms
  return findAlgorithms({
    path: `providers.${provider.id}.client.id_token_signed_response_alg`,
    registered,
    announced: metadata.id_token_signing_alg_values_supported,
    isSecretAllowed: true,
  })
}

/**
 * Checks the nonce, OpenID Connect Core 1.0 section 3.1.3.7 (11): rejects the ID token of another sign-in before anything
 * else in it is used. The protocol library also compares it, but not in constant time.
 */
export function assertNonce({ claims }: UnverifiedToken, expected: string): void {
  const { nonce } = claims
  if (typeof nonce === "string" && isEqualInConstantTime(nonce, expected)) return
  throw refusal("nonce", `The "nonce" of the ID token is ${nonce === undefined ? "missing" : "wrong"}`)
}

interface VerifiableIdToken {
  readonly token: UnverifiedToken
  /** As validated by the protocol library. */
  readonly claims: IDToken
  readonly accessToken: string
}

/**
 * Verifies what the protocol library does not check in the code flow: the token's type, authorized party, subject,
 * signature, age, and the hash of the access token.
 * @throws ProviderError, or an error of the protocol library
 */
export function verifyIdToken(
  { token, claims, accessToken }: VerifiableIdToken,
  context: ProviderContext,
): Awaitable<void> {
  assertKind(token)
  assertAuthorizedParty(claims, context.provider)
  assertSubject(claims)
  const isHmac = isSecretAlgorithm(String(token.header["alg"]))
  return andThen(isHmac ? verifyHmac(token, context.provider) : verifySignature(token, context), () => {
    assertRecent(claims, context)
    return assertAccessTokenHash(token, claims, accessToken)
  })
}

/**
 * Rejects a token that its issuer declared to be of another kind, such as `at+jwt` (an access token) or `logout+jwt`, RFC
 * 8725 section 3.11. ID tokens have no type of their own: providers send `JWT`, other general names, or nothing.
 */
function assertKind({ header }: UnverifiedToken): void {
  const { typ } = header
  if (typ === undefined || (typeof typ === "string" && !/\+jwt$/i.test(typ))) return
  throw refusal(
    "token-kind",
    `The token has the type "${toLogText(String(typ), 40)}", which is not that of an ID token`,
  )
}

/** OpenID Connect Core 1.0 section 3.1.3.7 (5). The library compares it only if there are several audiences. */
function assertAuthorizedParty({ azp }: IDToken, { clientId }: ResolvedOAuthProvider): void {
  if (azp === undefined || azp === null || azp === clientId) return
  throw refusal("authorized-party", 'The ID token was issued to another client: its "azp" is not the client id')
}

/** Characters, OpenID Connect Core 1.0 section 2. */
const maxSubjectLength = 255

/** The controls: all that is not in these ranges. An engine would look `\p{Cc}` up when it reads this file. */
const control = /[^\x20-\x7e\xa0-\uffff]/

/** Databases cut long texts or end them at control characters, and would then find another user's account. */
function assertSubject({ sub }: IDToken): void {
  if (sub.length > maxSubjectLength) {
    throw refusal("subject", `The "sub" of the ID token has ${sub.length} characters; the limit is ${maxSubjectLength}`)
  }
  if (control.test(sub)) throw refusal("subject", 'The "sub" of the ID token has control characters')
}

/** HMAC with the client secret, RFC 7518 section 3.2; only if the host registered such an algorithm. */
async function verifyHmac(token: UnverifiedToken, { clientSecret }: ResolvedOAuthProvider): Promise<void> {
  const encoder = new TextEncoder()
  if (!clientSecret) throw refusal("signature", "The ID token is signed with the client secret, which is not set")
  const algorithm = { name: "HMAC", hash: `SHA-${String(token.header["alg"]).slice(2)}` }
  const key = await crypto.subtle.importKey("raw", encoder.encode(clientSecret), algorithm, false, ["verify"])
  const isValid = await crypto.subtle.verify("HMAC", key, token.signature, encoder.encode(token.signedText))
  if (!isValid) throw refusal("signature", "The signature of the ID token is wrong")
}

/** OpenID Connect Core 1.0 section 3.1.3.7 (10). The library only checks the type of `iat`. */
function assertRecent({ iat }: IDToken, { provider, endpoints }: ProviderContext): void {
  const ageSeconds = endpoints.clock() / 1000 - iat
  if (ageSeconds > maxTokenAgeSeconds) throw refusal("token-age", "The ID token was issued too long ago")
  if (ageSeconds < -toleranceOf(provider) - 1) throw refusal("token-age", "The ID token was issued in the future")
}

/** OpenID Connect Core 1.0 section 3.1.3.8: optional in the code flow, but checked if present. */
function assertAccessTokenHash(token: UnverifiedToken, claims: IDToken, accessToken: string): Awaitable<void> {
  const stated = claims["at_hash"]
  if (stated === undefined) return
  const bits = /(?:256|384)$/.exec(String(token.header["alg"]))?.[0]
  // The name of Ed25519 has no length; it uses SHA-512.
  return andThen(hashOf(accessToken, bits === undefined ? "SHA-512" : `SHA-${bits}`), (digest) => {
    if (stated === toBase64url(digest.slice(0, digest.length / 2))) return
    throw refusal("access-token-hash", "The ID token was not issued for this access token")
  })
}

const refusal = refusalsOf({ endpoint: "token" })
