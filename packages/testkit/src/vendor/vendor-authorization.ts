import { formPostPage } from "../identity-provider/authorization.js"
import { compareParameters } from "./expectations.js"
import { complain, type VendorFlow, valuesOf } from "./vendor-flow.js"
import type { AuthorizationRules, Expected } from "./vendor-rules.js"

/** Sends a person back who agrees at once, or who declines, RFC 6749 section 4.1.2. */
export async function answerVendorAuthorization(url: URL, flow: VendorFlow): Promise<Response> {
  const { authorization } = flow.rules
  const { searchParams } = url
  const expected = expectedParameters(authorization)
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

function expectedParameters(rules: AuthorizationRules): Expected {
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
