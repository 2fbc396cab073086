import { base64url, CompactSign } from "jose"
import { formPostPage } from "../identity-provider/authorization.js"
import type { Members } from "../identity-provider/faults/fault.js"
import type { KeyRing } from "../identity-provider/keys.js"
import {
  compareHeaders,
  compareParameters,
  complain,
  type FlowValues,
  fill,
  readFields,
  urlWithoutSlash,
} from "./request-checks.js"
import type {
  AuthorizationRules,
  Expected,
  IssuedTokens,
  RefusedStage,
  ResourceRules,
  TokenRules,
  VendorClient,
  VendorRefusal,
  VendorRules,
} from "./vendor-rules.js"

/** The state that the endpoints of one vendor share. */
export interface VendorFlow {
  readonly rules: VendorRules
  readonly client: VendorClient
  readonly keys: KeyRing
  /** The stage that the vendor refuses, if any. */
  readonly refused: RefusedStage | null
  /** Values of the current sign-in. A used code is empty. */
  readonly values: FlowValues
  /** Starts a new sign-in with these values. */
  readonly begin: (values: FlowValues) => void
  /** Adds values to the current sign-in. */
  readonly remember: (values: FlowValues) => void
}

/** The authorization page: redirects back with a code or an error, RFC 6749 section 4.1.2. */
export async function serveAuthorization(url: URL, flow: VendorFlow): Promise<Response> {
  const { authorization } = flow.rules
  const { searchParams } = url
  const expected = authorizationParameters(authorization)
  complain("authorization request", compareParameters(searchParams, expected, valuesOf(flow)))
  const redirectUri = searchParams.get("redirect_uri") ?? ""
  const code = `code-${crypto.randomUUID()}`
  flow.begin({
    code,
    redirect_uri: redirectUri,
    state: searchParams.get("state") ?? "",
    challenge: searchParams.get("code_challenge") ?? "",
    nonce: searchParams.get("nonce") ?? "",
    scope: searchParams.get("scope") ?? "",
  })
  const answer = await decide(searchParams, code, flow)
  return authorization.parameters?.["response_mode"] === "form_post"
    ? formPostPage(redirectUri, answer)
    : redirect(redirectUri, answer)
}

function authorizationParameters(rules: AuthorizationRules): Expected {
  return {
    [rules.clientIdName ?? "client_id"]: "{client_id}",
    response_type: rules.responseType ?? "code",
    redirect_uri: /^https:\/\/[^?#]+$/,
    state: rules.state ?? /./,
    ...((rules.pkce ?? true) && { code_challenge: /^[\w-]{43}$/, code_challenge_method: "S256" }),
    ...(rules.nonce && { nonce: /./ }),
    ...rules.parameters,
  }
}

async function decide(params: URLSearchParams, code: string, flow: VendorFlow): Promise<URLSearchParams> {
  const { extra, finish, refusal = { error: "access_denied" } } = flow.rules.authorization
  const state = params.get("state") ?? ""
  if (flow.refused === "authorization") return new URLSearchParams({ ...refusal, state })
  const answer = new URLSearchParams({ code, state, ...extra })
  return finish ? finish(answer, flow.client.client_secret) : answer
}

function redirect(redirectUri: string, answer: URLSearchParams): Response {
  return new Response(null, { status: 302, headers: { location: `${redirectUri}?${answer}` } })
}

/** The token endpoint: exchanges a code if the request follows the rules. */
export async function serveToken(request: Request, flow: VendorFlow): Promise<Response> {
  const { token } = flow.rules
  await checkTokenRequest(request, flow)
  if (flow.refused === "token") return toErrorResponse(token.refusal ?? { body: { error: "invalid_grant" } })
  const issued = await issueTokens(flow)
  const answer = await (token.answer?.(issued) ?? issued.standard)
  return toResponse(answer)
}

async function checkTokenRequest(request: Request, flow: VendorFlow): Promise<void> {
  const { token } = flow.rules
  const { encoding = "form", method = "POST" } = token
  const values = valuesOf(flow)
  complain("token request", values["code"] ? [] : ["no code was issued, or it was used before"])
  const parameters = await readFields(request, encoding)
  const verifier = parameters.get("code_verifier")
  parameters.delete("code_verifier")
  complain("token request", [
    ...(request.method === method ? [] : [`the method is ${request.method}`]),
    ...compareParameters(parameters, tokenParameters(token), values),
    ...compareHeaders(request.headers, { accept: /application\/json/, ...token.headers }, values),
    ...compareAuthorization(request.headers.get("authorization"), flow),
    ...(await compareVerifier(verifier, flow.values["challenge"] ?? "")),
  ])
  flow.remember({ code: "" })
}

function tokenParameters({ authentication = "basic", parameters, more }: TokenRules): Expected {
  const standard: Expected = {
    grant_type: "authorization_code",
    code: "{code}",
    redirect_uri: "{redirect_uri}",
    ...(authentication === "post" && { client_id: "{client_id}", client_secret: "{client_secret}" }),
  }
  return { ...(parameters ?? standard), ...more }
}

function compareAuthorization(given: string | null, { rules, client }: VendorFlow): readonly string[] {
  if ((rules.token.authentication ?? "basic") !== "basic") {
    return given === null || rules.token.headers?.["authorization"] ? [] : ["the Authorization header is unexpected"]
  }
  const wanted = `Basic ${btoa(`${toFormText(client.client_id)}:${toFormText(client.client_secret)}`)}`
  return given === wanted ? [] : ["the Authorization header is not Basic with id and secret"]
}

function toFormText(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1)
}

/** RFC 7636 section 4.6. */
async function compareVerifier(verifier: string | null, challenge: string): Promise<readonly string[]> {
  if (verifier === null) return challenge === "" ? [] : ["the code_verifier is missing"]
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  return base64url.encode(new Uint8Array(digest)) === challenge
    ? []
    : ["the code_verifier does not match the code_challenge"]
}

const tokenSeconds = 3600

/** Issues the tokens of a sign-in, and remembers the access token. */
async function issueTokens(flow: VendorFlow): Promise<IssuedTokens> {
  const { openId, profile } = flow.rules
  const access_token = `access-${crypto.randomUUID()}`
  flow.remember({ access_token })
  const standard = {
    access_token,
    token_type: "Bearer",
    expires_in: tokenSeconds,
    ...(flow.values["scope"] && { scope: flow.values["scope"] }),
    ...(openId && { id_token: await signIdToken(flow) }),
  }
  const sign = async (claims: Members): Promise<string> => {
    const token = await signClaims(claims, flow)
    flow.remember({ access_token: token })
    return token
  }
  return { standard, profile, clientId: flow.client.client_id, sign }
}

async function signIdToken(flow: VendorFlow): Promise<string> {
  const { openId, profile } = flow.rules
  const { nonce } = flow.values
  const sent = nonce && !openId?.forgetsNonce ? { nonce } : {}
  const issuer = openId?.tokenIssuer ?? openId?.issuer
  return signClaims({ ...(openId?.claims ?? profile), iss: issuer, aud: flow.client.client_id, ...sent }, flow)
}

async function signClaims(claims: Members, { keys, client }: VendorFlow): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const payload = new TextEncoder().encode(JSON.stringify({ iat, exp: iat + tokenSeconds, ...claims }))
  if (keys.alg === "HS256") {
    const secret = new TextEncoder().encode(client.client_secret)
    return new CompactSign(payload).setProtectedHeader({ alg: "HS256" }).sign(secret)
  }
  const { alg, kid, privateKey } = await keys.current()
  return new CompactSign(payload).setProtectedHeader({ alg, kid }).sign(privateKey)
}

/** A resource: responds to a request with an access token if it follows the rules. */
export async function serveResource(request: Request, resource: ResourceRules, flow: VendorFlow): Promise<Response> {
  const { profile } = flow.rules
  await checkResourceRequest(request, resource, flow)
  if (flow.refused === "profile" && resource === flow.rules.resources?.[0]) {
    return toErrorResponse(resource.refusal ?? { status: 401, body: { error: "invalid_token" } })
  }
  const sign = (claims: typeof profile) => signClaims(claims, flow)
  return toResponse(await (resource.answer?.({ profile, clientId: flow.client.client_id, sign }) ?? profile))
}

async function checkResourceRequest(request: Request, resource: ResourceRules, flow: VendorFlow): Promise<void> {
  const { method = "GET", bearer = true, headers = {} } = resource
  const values = valuesOf(flow)
  const wanted = new URL(fill(resource.url, values))
  const about = `request to ${wanted.origin}${wanted.pathname}`
  complain(about, values["access_token"] ? [] : ["no access token was issued"])
  const query = Object.fromEntries(wanted.searchParams)
  complain(about, [
    ...(request.method === method ? [] : [`the method is ${request.method}`]),
    ...compareParameters(new URL(request.url).searchParams, query, values),
    ...compareHeaders(request.headers, headers, values),
    ...compareBearer(request.headers.get("authorization"), bearer ? `Bearer ${values["access_token"]}` : null),
  ])
  complain(about, await compareBody(request, resource, values))
}

function compareBearer(given: string | null, wanted: string | null): readonly string[] {
  if (given === wanted) return []
  return [given === null ? "the bearer token is missing" : "the Authorization header is wrong"]
}

async function compareBody(
  request: Request,
  { form, json }: ResourceRules,
  values: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  if (form) return compareParameters(await readFields(request, "form"), form, values)
  if (json) return compareParameters(await readFields(request, "json"), json, values)
  return (await request.text()) === "" ? [] : ["the body is unexpected"]
}

/** The discovery document, OpenID Connect Discovery 1.0 section 3. */
export function serveDiscovery({ rules, keys }: VendorFlow): Response {
  const { openId, authorization, token, resources } = rules
  return Response.json({
    issuer: openId?.issuer,
    authorization_endpoint: authorization.url,
    token_endpoint: token.url,
    ...(resources?.[0] && { userinfo_endpoint: resources[0].url }),
    jwks_uri: jwksUrl(rules),
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
    ...openId?.metadata,
  })
}

/** The key set, RFC 7517 section 5. */
export async function serveJwks({ keys }: VendorFlow): Promise<Response> {
  return Response.json({ keys: await keys.published() })
}

/** The URL of the discovery document. Null for a vendor without OpenID Connect. */
export function discoveryUrl({ openId }: VendorFlow["rules"]): string | null {
  if (!openId) return null
  return openId.wellKnown ?? `${urlWithoutSlash(openId.issuer)}/.well-known/openid-configuration`
}

/** The URL of the key set. Null for a vendor without OpenID Connect. */
export function jwksUrl({ openId }: VendorFlow["rules"]): string | null {
  if (!openId) return null
  return openId.jwks ?? `${urlWithoutSlash(openId.issuer)}/jwks`
}

/** The values that placeholders can name. */
function valuesOf({ values, client }: VendorFlow): FlowValues {
  return { ...values, ...client }
}

function toErrorResponse({ status = 400, body }: VendorRefusal): Response {
  return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status })
}

function toResponse(answer: Members | Response): Response {
  return answer instanceof Response ? answer : Response.json(answer)
}
