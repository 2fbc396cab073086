import { base64url } from "jose"
import { authenticateClient, type RegisteredClient } from "./client.js"
import { assertFormPost, fail, type Incoming, jsonResponse } from "./endpoint.js"
import type { FaultContext } from "./faults/fault.js"
import { sign, signingByKey, signingBySecret } from "./keys.js"
import { describePerson } from "./person.js"
import { accessTokenSeconds, type Grant, type Grants, type ProviderState } from "./provider-state.js"

/** The token endpoint, RFC 6749 sections 4.1.3 and 6. */
export async function serveToken(incoming: Incoming, provider: ProviderState): Promise<Response> {
  const { issuer, keys, grants, apply } = provider
  assertFormPost(incoming)
  const client = await authenticateClient(incoming, provider.clients, issuer)
  const grant = await getGrant(incoming.params, client, grants)
  const context = { endpoint: "token", issuer, keys, incoming, client } as const
  const isOpenId = grant.scope.split(" ").includes("openid")
  const idToken = isOpenId ? await issueIdToken(grant, client, provider, context) : null
  const tokens = {
    access_token: grants.issueAccessToken(grant),
    token_type: "Bearer",
    expires_in: accessTokenSeconds,
    refresh_token: grants.issueRefreshToken(grant),
    scope: grant.scope,
    ...(idToken === null ? {} : { id_token: idToken }),
  }
  return jsonResponse(await apply("tokens", tokens, context))
}

async function getGrant(params: URLSearchParams, client: RegisteredClient, grants: Grants): Promise<Grant> {
  const grantType = params.get("grant_type")
  if (grantType === "refresh_token") return getRefreshed(params, client, grants)
  if (grantType !== "authorization_code") fail("unsupported_grant_type", "Only authorization_code and refresh_token")
  // Consume the code before the checks, so that a failed request uses it up.
  const grant = grants.consumeCode(params.get("code") ?? "") ?? fail("invalid_grant", "The code is unknown")
  if (grant.clientId !== client.client_id) fail("invalid_grant", "The code was issued to another client")
  if (grant.redirectUri !== params.get("redirect_uri"))
    fail("invalid_grant", "The redirect_uri differs from the one of the authorization request")
  await assertVerifier(grant.codeChallenge, params.get("code_verifier"))
  return grant
}

function getRefreshed(params: URLSearchParams, client: RegisteredClient, grants: Grants): Grant {
  const grant = grants.consumeRefreshToken(params.get("refresh_token") ?? "")
  if (grant?.clientId !== client.client_id) return fail("invalid_grant", "The refresh token is unknown")
  return { ...grant, nonce: null }
}

/** RFC 7636 section 4.6. A verifier without a challenge is a downgrade, RFC 9700 section 4.8.2. */
async function assertVerifier(challenge: string | null, verifier: string | null): Promise<void> {
  if (challenge === null && verifier === null) return
  if (challenge === null || verifier === null)
    fail("invalid_grant", "The code_verifier and code_challenge must be sent together")
  if (!/^[\w.~-]{43,128}$/.test(verifier ?? "")) fail("invalid_grant", "The code_verifier is malformed")
  if ((await hash(verifier ?? "")) !== challenge) fail("invalid_grant", "The code_verifier is wrong")
}

async function hash(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  return base64url.encode(new Uint8Array(digest))
}

const idTokenSeconds = 3600

/** Issues a compact ID token for a grant, OpenID Connect Core 1.0 section 2. */
async function issueIdToken(
  grant: Grant,
  client: RegisteredClient,
  provider: ProviderState,
  context: FaultContext,
): Promise<string> {
  const { apply, issuer, keys, grants } = provider
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = await apply(
    "idTokenClaims",
    {
      ...describePerson(grant.person, grant.scope),
      iss: issuer,
      aud: client.client_id,
      iat: issuedAt,
      exp: issuedAt + idTokenSeconds,
      auth_time: grant.authTime,
      sid: grant.sid,
      ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    },
    context,
  )
  const signingByDefault = keys.alg === "HS256" ? signingBySecret(client) : await signingByKey(keys)
  const signing = await apply("idTokenSigning", signingByDefault, context)
  const idToken = await apply("idToken", await sign(JSON.stringify(claims), signing), context)
  grants.recordIdToken(idToken)
  return idToken
}

/**
 * The userinfo endpoint, OpenID Connect Core 1.0 section 5.3. It reads the token only from the header, RFC 6750 section
 * 2.1.
 */
export async function serveUserinfo(incoming: Incoming, provider: ProviderState): Promise<Response> {
  const { issuer, keys, grants, apply } = provider
  const token = /^bearer +(\S+)$/i.exec(incoming.headers.get("authorization") ?? "")?.[1]
  if (token === undefined) return fail("invalid_request", "The bearer token is missing", 401)
  const grant = grants.findAccessToken(token) ?? fail("invalid_token", "The token is unknown", 401)
  const claims = describePerson(grant.person, grant.scope)
  return jsonResponse(await apply("userinfo", claims, { endpoint: "userinfo", issuer, keys, incoming }))
}
