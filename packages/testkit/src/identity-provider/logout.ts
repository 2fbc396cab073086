import { fail, type Incoming } from "./endpoint.js"
import { foreignKey, type Signing, sign, signingByKey } from "./keys.js"
import type { ProviderState } from "./provider-state.js"

/** The event of a logout token, OpenID Connect Back-Channel Logout 1.0 section 2.4. */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

/** What a logout token of the fake identity provider differs in. */
export interface LogoutTokenOptions {
  /** Claims over the right ones. Undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /** Header parameters over the right ones. Undefined removes one. */
  readonly header?: Readonly<Record<string, unknown>> | undefined
  /** Default: the provider's own key. */
  readonly key?: Signing["key"] | undefined
}

/** Signs a logout token for the first client, OpenID Connect Back-Channel Logout 1.0 section 2.4. */
export async function signLogoutToken(
  { issuer, keys, clients }: ProviderState,
  { claims, header, key }: LogoutTokenOptions = {},
): Promise<string> {
  const signing = await signingByKey(keys)
  const now = Math.floor(Date.now() / 1000)
  const payload = {
    iss: issuer,
    aud: clients[0]?.client_id,
    iat: now,
    exp: now + 120,
    jti: crypto.randomUUID(),
    events: { [logoutEvent]: {} },
    ...claims,
  }
  return sign(JSON.stringify(payload), {
    header: { ...signing.header, typ: "logout+jwt", ...header },
    key: key === undefined ? signing.key : key,
  })
}

/** Creates a logout token that a client must refuse, for a session that a right one would end. */
type WrongLogoutToken = (provider: ProviderState, target: LogoutTarget) => Promise<string>

/** The session that a logout token is about. */
export interface LogoutTarget {
  readonly sub?: string | undefined
  readonly sid?: string | undefined
}

const seconds = () => Math.floor(Date.now() / 1000)

const withClaims =
  (change: () => Readonly<Record<string, unknown>>): WrongLogoutToken =>
  (provider, target) =>
    signLogoutToken(provider, { claims: { ...target, ...change() } })

const withHeader =
  (header: Readonly<Record<string, unknown>>): WrongLogoutToken =>
  (provider, claims) =>
    signLogoutToken(provider, { claims: { ...claims }, header })

/** The name of a logout token that a client must refuse. */
export type WrongLogoutTokenName =
  | "signed with another key"
  | "unsigned"
  | "signed by HMAC with the public key"
  | "of another issuer"
  | "for another client"
  | "expired"
  | "older than two minutes"
  | "without iat"
  | "with a nonce"
  | "without events"
  | "with another event"
  | "with neither sid nor sub"
  | "of another type"
  | "that is an ID token"

/** Fourteen logout tokens that a client must refuse, each wrong in one way. */
export const wrongLogoutTokens: Readonly<Record<WrongLogoutTokenName, WrongLogoutToken>> = {
  "signed with another key": async (provider, target) =>
    signLogoutToken(provider, { claims: { ...target }, key: (await foreignKey(provider.keys.own)).privateKey }),
  unsigned: (provider, target) =>
    signLogoutToken(provider, { claims: { ...target }, header: { alg: "none", kid: undefined }, key: null }),
  "signed by HMAC with the public key": async (provider, target) => {
    const { publicJwk } = await provider.keys.current()
    const key = new TextEncoder().encode(JSON.stringify(publicJwk))
    return signLogoutToken(provider, { claims: { ...target }, header: { alg: "HS256" }, key })
  },
  "of another issuer": withClaims(() => ({ iss: "https://evil.test" })),
  "for another client": withClaims(() => ({ aud: ["another-client"] })),
  expired: withClaims(() => ({ exp: seconds() - 61 })),
  "older than two minutes": withClaims(() => ({ iat: seconds() - 200 })),
  "without iat": withClaims(() => ({ iat: undefined })),
  "with a nonce": withClaims(() => ({ nonce: "n-0S6_WzA2Mj" })),
  "without events": withClaims(() => ({ events: undefined })),
  "with another event": withClaims(() => ({ events: { "http://schemas.openid.net/event/other": {} } })),
  "with neither sid nor sub": withClaims(() => ({ sid: undefined, sub: undefined })),
  "of another type": withHeader({ typ: "JWT" }),
  "that is an ID token": async ({ issuer, keys, clients }, target) => {
    const claims = { iss: issuer, aud: clients[0]?.client_id, iat: seconds(), exp: seconds() + 120, ...target }
    return sign(JSON.stringify(claims), await signingByKey(keys))
  },
}

/** The names of the logout tokens that a client must refuse. */
export const wrongLogoutTokenNames: readonly WrongLogoutTokenName[] = Object.keys(
  wrongLogoutTokens,
) as WrongLogoutTokenName[] // as: the keys of the table

/** The end-session endpoint, OpenID Connect RP-Initiated Logout 1.0 section 2. Asks the user nothing. */
export async function serveLogout(incoming: Incoming, provider: ProviderState): Promise<Response> {
  const { params } = incoming
  const hint = params.get("id_token_hint")
  if (hint !== null && !provider.grants.issued.some(({ name, value }) => name === "id token" && value === hint)) {
    fail("invalid_request", "The id_token_hint was not issued here")
  }
  const clientId = params.get("client_id") ?? (hint === null ? null : readAudience(hint))
  const client = provider.clients.find(({ client_id }) => client_id === clientId)
  if (!client) return fail("invalid_request", "No client is registered with this client_id")
  if (hint !== null && readAudience(hint) !== clientId) {
    fail("invalid_request", "The id_token_hint was issued to another client")
  }
  const target = params.get("post_logout_redirect_uri")
  if (target === null) return Response.json({ signedOut: true })
  if (client.post_logout_redirect_uris && !client.post_logout_redirect_uris.includes(target)) {
    fail("invalid_request", "This post_logout_redirect_uri is not registered")
  }
  const url = new URL(target)
  const state = params.get("state")
  if (state !== null) url.searchParams.set("state", state)
  return new Response(null, { status: 302, headers: { location: url.href, "cache-control": "no-store" } })
}

function readAudience(idToken: string): string {
  const { aud } = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString()) as { aud: string }
  return aud
}
