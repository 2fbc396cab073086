import { base64url } from "jose"
import { authenticateClient, type RegisteredClient } from "./client.js"
import { findRepeated, type Incoming, jsonAnswer, refuse } from "./endpoint.js"
import type { FaultContext } from "./faults/fault.js"
import { sign, signingByKey, signingBySecret } from "./keys.js"
import { describePerson } from "./person.js"
import { accessTokenSeconds, type Establishment, type Grant, type Grants } from "./provider-state.js"

/** The token endpoint, RFC 6749 sections 4.1.3 and 6. */
export async function answerToken(incoming: Incoming, establishment: Establishment): Promise<Response> {
  const { issuer, keys, grants, apply } = establishment
  assertTokenRequest(incoming)
  const client = await authenticateClient(incoming, establishment.clients, issuer)
  const grant = await getGrant(incoming.params, client, grants)
  const context = { endpoint: "token", issuer, keys, incoming, client } as const
  const idToken = isOpenId(grant) ? await issueIdToken(grant, client, { establishment, context }) : null
  if (idToken !== null) grants.noteIdToken(idToken)
  const tokens = {
    access_token: grants.issueAccessToken(grant),
    token_type: "Bearer",
    expires_in: accessTokenSeconds,
    refresh_token: grants.issueRefreshToken(grant),
    scope: grant.scope,
    ...(idToken === null ? {} : { id_token: idToken }),
  }
  return jsonAnswer(await apply("tokens", tokens, context))
}

function assertTokenRequest({ method, params, url }: Incoming): void {
  if (method !== "POST") refuse("invalid_request", "Only POST is allowed", 405)
  if (url.search !== "") refuse("invalid_request", "Parameters belong in the body")
  const repeated = findRepeated(params)
  if (repeated) refuse("invalid_request", `The parameter ${repeated} comes twice`)
}

async function getGrant(params: URLSearchParams, client: RegisteredClient, grants: Grants): Promise<Grant> {
  const grantType = params.get("grant_type")
  if (grantType === "refresh_token") return getRefreshed(params, client, grants)
  if (grantType !== "authorization_code") refuse("unsupported_grant_type", "Only authorization_code and refresh_token")
  // Spent before anything is compared: a code that was guessed at is not tried again.
  const grant = grants.spendCode(params.get("code") ?? "") ?? refuse("invalid_grant", "The code is not known")
  if (grant.clientId !== client.client_id) refuse("invalid_grant", "The code was issued to another app")
  if (grant.redirectUri !== params.get("redirect_uri")) refuse("invalid_grant", "The redirect_uri is another one")
  await assertVerifier(grant.codeChallenge, params.get("code_verifier"))
  return grant
}

function getRefreshed(params: URLSearchParams, client: RegisteredClient, grants: Grants): Grant {
  const grant = grants.spendRefreshToken(params.get("refresh_token") ?? "")
  if (grant?.clientId !== client.client_id) return refuse("invalid_grant", "The refresh token is not known")
  return { ...grant, nonce: null }
}

/** RFC 7636 section 4.6. A verifier without a challenge is a downgrade, RFC 9700 section 4.8.2. */
async function assertVerifier(challenge: string | null, verifier: string | null): Promise<void> {
  if (challenge === null && verifier === null) return
  if (challenge === null || verifier === null) refuse("invalid_grant", "Challenge and verifier do not go together")
  if (!/^[\w.~-]{43,128}$/.test(verifier ?? "")) refuse("invalid_grant", "The code_verifier is malformed")
  if ((await hash(verifier ?? "")) !== challenge) refuse("invalid_grant", "The code_verifier is wrong")
}

async function hash(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  return base64url.encode(new Uint8Array(digest))
}

function isOpenId({ scope }: Grant): boolean {
  return scope.split(" ").includes("openid")
}

const lifetimeSeconds = 3600

/** Makes the ID token of a grant, OpenID Connect Core 1.0 section 2, in its compact form. */
async function issueIdToken(grant: Grant, client: RegisteredClient, needs: IdTokenNeeds): Promise<string> {
  const { establishment, context } = needs
  const { apply, issuer, keys } = establishment
  const issuedAt = Math.floor(Date.now() / 1000)
  const claims = await apply(
    "idTokenClaims",
    {
      ...describePerson(grant.person, grant.scope),
      iss: issuer,
      aud: client.client_id,
      iat: issuedAt,
      exp: issuedAt + lifetimeSeconds,
      auth_time: grant.authTime,
      ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
    },
    context,
  )
  const honest = keys.alg === "HS256" ? signingBySecret(client) : await signingByKey(keys)
  const signing = await apply("idTokenSigning", honest, context)
  return apply("idToken", await sign(JSON.stringify(claims), signing), context)
}

interface IdTokenNeeds {
  readonly establishment: Establishment
  readonly context: FaultContext
}

/**
 * The userinfo endpoint, OpenID Connect Core 1.0 section 5.3. The token comes in the header alone, RFC 6750 section
 * 2.1.
 */
export async function answerUserinfo(incoming: Incoming, establishment: Establishment): Promise<Response> {
  const { issuer, keys, grants, apply } = establishment
  const token = /^bearer +(\S+)$/i.exec(incoming.headers.get("authorization") ?? "")?.[1]
  if (token === undefined) return refuse("invalid_request", "There is no bearer token", 401)
  const grant = grants.findAccessToken(token) ?? refuse("invalid_token", "The token is not known", 401)
  const claims = describePerson(grant.person, grant.scope)
  return jsonAnswer(await apply("userinfo", claims, { endpoint: "userinfo", issuer, keys, incoming }))
}
