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

/** What the endpoints of one vendor share. */
export interface VendorFlow {
  readonly rules: VendorRules
  readonly client: VendorClient
  readonly keys: KeyRing
  /** Null while the vendor agrees to everything. */
  readonly refused: RefusedStage | null
  /** What the last sign-in brought so far. A spent code is empty. */
  readonly values: FlowValues
  /** Forgets the sign-in before. */
  readonly begin: (values: FlowValues) => void
  readonly keep: (values: FlowValues) => void
}

/** What expectations may name. */
function valuesOf({ values, client }: VendorFlow): FlowValues {
  return { ...values, ...client }
}

function toRefusal({ status = 400, body }: VendorRefusal): Response {
  return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status })
}

function toAnswer(answer: Members | Response): Response {
  return answer instanceof Response ? answer : Response.json(answer)
}

/** Sends a person back who agrees at once, or who declines, RFC 6749 section 4.1.2. */
export async function answerVendorAuthorization(url: URL, flow: VendorFlow): Promise<Response> {
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

async function decide(asked: URLSearchParams, code: string, flow: VendorFlow): Promise<URLSearchParams> {
  const { extra, finish, refusal = { error: "access_denied" } } = flow.rules.authorization
  const state = asked.get("state") ?? ""
  if (flow.refused === "authorization") return new URLSearchParams({ ...refusal, state })
  const answer = new URLSearchParams({ code, state, ...extra })
  return finish ? finish(answer, flow.client.client_secret) : answer
}

function redirect(redirectUri: string, answer: URLSearchParams): Response {
  return new Response(null, { status: 302, headers: { location: `${redirectUri}?${answer}` } })
}

/** Exchanges a code, if the request is the one that this vendor wants. */
export async function answerVendorToken(request: Request, flow: VendorFlow): Promise<Response> {
  const { token } = flow.rules
  await checkTokenRequest(request, flow)
  if (flow.refused === "token") return toRefusal(token.refusal ?? { body: { error: "invalid_grant" } })
  const issued = await issueTokens(flow)
  const answer = await (token.answer?.(issued) ?? issued.standard)
  return toAnswer(answer)
}

async function checkTokenRequest(request: Request, flow: VendorFlow): Promise<void> {
  const { token } = flow.rules
  const { encoding = "form", method = "POST" } = token
  const values = valuesOf(flow)
  complain("token request", values["code"] ? [] : ["there is no code, or it was spent"])
  const found = await readFields(request, encoding)
  const verifier = found.get("code_verifier")
  found.delete("code_verifier")
  complain("token request", [
    ...(request.method === method ? [] : [`the method is ${request.method}`]),
    ...compareParameters(found, tokenParameters(token), values),
    ...compareHeaders(request.headers, { accept: /application\/json/, ...token.headers }, values),
    ...compareAuthorization(request.headers.get("authorization"), flow),
    ...(await compareVerifier(verifier, flow.values["challenge"] ?? "")),
  ])
  flow.keep({ code: "" })
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
    return given === null || rules.token.headers?.["authorization"]
      ? []
      : ["an Authorization header does not belong there"]
  }
  const wanted = `Basic ${btoa(`${toFormText(client.client_id)}:${toFormText(client.client_secret)}`)}`
  return given === wanted ? [] : ["the Authorization header is not Basic with id and secret"]
}

function toFormText(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1)
}

/** RFC 7636 section 4.6. */
async function compareVerifier(verifier: string | null, challenge: string): Promise<readonly string[]> {
  if (verifier === null) return challenge === "" ? [] : ["there is no code_verifier"]
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))
  return base64url.encode(new Uint8Array(digest)) === challenge ? [] : ["the code_verifier does not fit"]
}

/** Answers a request that comes with an access token, if it is the one that this vendor wants. */
export async function answerVendorResource(
  request: Request,
  resource: ResourceRules,
  flow: VendorFlow,
): Promise<Response> {
  const { profile } = flow.rules
  await checkResourceRequest(request, resource, flow)
  if (flow.refused === "profile" && resource === flow.rules.resources?.[0]) {
    return toRefusal(resource.refusal ?? { status: 401, body: { error: "invalid_token" } })
  }
  const sign = (claims: typeof profile) => signClaims(claims, flow)
  return toAnswer(await (resource.answer?.({ profile, clientId: flow.client.client_id, sign }) ?? profile))
}

async function checkResourceRequest(request: Request, resource: ResourceRules, flow: VendorFlow): Promise<void> {
  const { method = "GET", bearer = true, headers = {} } = resource
  const values = valuesOf(flow)
  const wanted = new URL(fill(resource.url, values))
  const about = `request to ${wanted.origin}${wanted.pathname}`
  complain(about, values["access_token"] ? [] : ["there is no access token yet"])
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
  return [given === null ? "there is no bearer token" : "the Authorization header is wrong"]
}

async function compareBody(
  request: Request,
  { form, json }: ResourceRules,
  values: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  if (form) return compareParameters(await readFields(request, "form"), form, values)
  if (json) return compareParameters(await readFields(request, "json"), json, values)
  return (await request.text()) === "" ? [] : ["there is a body"]
}

/** The discovery document, OpenID Connect Discovery 1.0 section 3. */
export function answerVendorDiscovery({ rules, keys }: VendorFlow): Response {
  const { openId, authorization, token, resources } = rules
  return Response.json({
    issuer: openId?.issuer,
    authorization_endpoint: authorization.url,
    token_endpoint: token.url,
    ...(resources?.[0] && { userinfo_endpoint: resources[0].url }),
    jwks_uri: jwksAddress(rules),
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
    ...openId?.metadata,
  })
}

export async function answerVendorKeys({ keys }: VendorFlow): Promise<Response> {
  return Response.json({ keys: await keys.published() })
}

export function discoveryAddress({ openId }: VendorFlow["rules"]): string | null {
  if (!openId) return null
  return openId.wellKnown ?? `${urlWithoutSlash(openId.issuer)}/.well-known/openid-configuration`
}

export function jwksAddress({ openId }: VendorFlow["rules"]): string | null {
  if (!openId) return null
  return openId.jwks ?? `${urlWithoutSlash(openId.issuer)}/jwks`
}

const lifetimeSeconds = 3600

/** Makes the tokens of a flow, and keeps the access token for the requests that come with it. */
async function issueTokens(flow: VendorFlow): Promise<IssuedTokens> {
  const { openId, profile } = flow.rules
  const access_token = `access-${crypto.randomUUID()}`
  flow.keep({ access_token })
  const standard = {
    access_token,
    token_type: "Bearer",
    expires_in: lifetimeSeconds,
    ...(flow.values["scope"] && { scope: flow.values["scope"] }),
    ...(openId && { id_token: await signIdToken(flow) }),
  }
  const sign = async (claims: Members): Promise<string> => {
    const token = await signClaims(claims, flow)
    flow.keep({ access_token: token })
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
  const payload = new TextEncoder().encode(JSON.stringify({ iat, exp: iat + lifetimeSeconds, ...claims }))
  if (keys.alg === "HS256") {
    const secret = new TextEncoder().encode(client.client_secret)
    return new CompactSign(payload).setProtectedHeader({ alg: "HS256" }).sign(secret)
  }
  const { alg, kid, privateKey } = await keys.current()
  return new CompactSign(payload).setProtectedHeader({ alg, kid }).sign(privateKey)
}
