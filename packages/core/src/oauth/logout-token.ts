import { isShortText, maxTextLength } from "../runtime/id.js"
import { isRecord } from "../runtime/json.js"
import { toleranceOf } from "./client.js"
import type { ProviderContext } from "./endpoints.js"
import { refusalsOf } from "./errors.js"
import {
  findAlgorithms,
  getExpectedIssuer,
  isForClient,
  parseSignedToken,
  type UnverifiedToken,
  verifySignature,
} from "./jws.js"

/** What a verified logout token ends: one session at the provider, or all those of a user. */
export interface LogoutOrder {
  /** The user at the provider. */
  readonly subject: string | undefined
  /** The provider's id of the session. */
  readonly session: string | undefined
  /** Differs from token to token, so that each is obeyed once. */
  readonly id: string
}

interface LogoutTokenOptions {
  /** Whether the header may lack `typ`. Another type is refused in any case. */
  readonly isTypeOptional: boolean
}

/** A provider sends the token when the session ends: an older one was stored and replayed. */
const maxAgeSeconds = 2 * 60

/** The member of `events` that makes a token a logout token, OpenID Connect Back-Channel Logout 1.0 section 2.4. */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/**
 * Verifies a logout token, OpenID Connect Back-Channel Logout 1.0 section 2.6. No key is fetched for a token whose claims
 * are wrong.
 * @throws ProviderError
 */
export async function verifyLogoutToken(
  text: string,
  context: ProviderContext,
  { isTypeOptional }: LogoutTokenOptions,
): Promise<LogoutOrder> {
  const token = parseSignedToken(text)
  assertType(token, isTypeOptional)
  assertAlgorithm(token, context)
  assertIssuer(token.claims["iss"], token.claims, context)
  assertAudience(token, context)
  assertTime(token, context)
  assertKind(token)
  const order = readOrder(token)
  await verifySignature(token, context)
  return order
}

/** @throws ProviderError unless this is the provider's issuer */
export function assertIssuer(
  issuer: unknown,
  claims: UnverifiedToken["claims"],
  { provider, server }: Pick<ProviderContext, "provider" | "server">,
): void {
  if (issuer === getExpectedIssuer(provider, server, claims)) return
  throw refusal("wrong-issuer", "The issuer of the logout request is not that of the provider")
}

/** RFC 8725 section 3.11: a token of another kind must not end sessions. */
function assertType({ header: { typ } }: UnverifiedToken, isOptional: boolean): void {
  if (typ === undefined && isOptional) return
  // RFC 7515 section 4.1.9: media types are compared without regard to case, and may leave out `application/`.
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : ""
  if (type === "logout+jwt") return
  const advice = typ === undefined ? ". If the provider leaves it out, set laxTyp in providerLogout()" : ""
  throw refusal("token-kind", `The header of the logout token must have the typ logout+jwt${advice}`)
}

/** As for ID tokens, but never HMAC: the token comes from anyone, not from the token endpoint. */
function assertAlgorithm({ header }: UnverifiedToken, { provider, server }: ProviderContext): void {
  const registered = provider.client?.id_token_signed_response_alg
  const announced = server.metadata.id_token_signing_alg_values_supported
  const path = `providers.${provider.id}.client.id_token_signed_response_alg`
  const allowed =
    (registered === undefined && provider.idTokenAlgorithms) ||
    findAlgorithms({ path, registered, announced, isSecretAllowed: false })
  if (allowed.includes(String(header["alg"]))) return
  throw refusal("algorithm", `The logout token must be signed with ${allowed.join(" or ")}`)
}

function assertAudience(token: UnverifiedToken, { provider }: ProviderContext): void {
  if (!isForClient(token, provider)) throw refusal("audience", "The logout token is for another client")
}

function assertTime({ claims: { iat, exp } }: UnverifiedToken, { provider, endpoints }: ProviderContext): void {
  const now = endpoints.clock() / 1000
  const tolerance = toleranceOf(provider)
  if (typeof iat !== "number" || typeof exp !== "number") {
    throw refusal("token-age", "The logout token must have iat and exp")
  }
  if (exp <= now - tolerance) throw refusal("token-age", "The logout token has expired")
  if (iat < now - maxAgeSeconds - tolerance) throw refusal("token-age", "The logout token is older than two minutes")
  if (iat > now + tolerance) throw refusal("token-age", "The logout token was issued in the future")
}

/** What tells a logout token from an ID token, which has the same issuer, audience and key. */
function assertKind({ claims: { nonce, events } }: UnverifiedToken): void {
  if (nonce !== undefined) throw refusal("token-kind", "A logout token must not have a nonce")
  if (isRecord(events) && isRecord(events[logoutEvent])) return
  throw refusal("token-kind", "The logout token does not have the event of a logout")
}

function readOrder({ claims: { sub, sid, jti } }: UnverifiedToken): LogoutOrder {
  if (sub === undefined && sid === undefined) throw refusal("claim-missing", "The logout token has neither sub nor sid")
  const id = readText("jti", jti)
  if (id === undefined) throw refusal("claim-missing", "The logout token must have a jti")
  return { id, subject: readText("sub", sub), session: readText("sid", sid) }
}

function readText(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (isShortText(value)) return value
  throw refusal("subject", `The ${name} of the logout token must be text of 1 to ${maxTextLength} characters`)
}

const refusal = refusalsOf({})
