import { base64url } from "jose"
import { compareHeaders, compareParameters } from "./expectations.js"
import { readFields } from "./vendor-fields.js"
import { complain, toAnswer, toRefusal, type VendorFlow, valuesOf } from "./vendor-flow.js"
import { issueTokens } from "./vendor-issue.js"
import type { Expected, TokenRules } from "./vendor-rules.js"

/** Exchanges a code, if the request is the one that this vendor wants. */
export async function answerVendorToken(request: Request, flow: VendorFlow): Promise<Response> {
  const { token } = flow.rules
  await assertTokenRequest(request, flow)
  if (flow.refused === "token") return toRefusal(token.refusal ?? { body: { error: "invalid_grant" } })
  const issued = await issueTokens(flow)
  const answer = await (token.answer?.(issued) ?? issued.standard)
  return toAnswer(answer)
}

async function assertTokenRequest(request: Request, flow: VendorFlow): Promise<void> {
  const { token } = flow.rules
  const { encoding = "form", method = "POST" } = token
  const values = valuesOf(flow)
  complain("token request", values["code"] ? [] : ["there is no code, or it was spent"])
  const found = await readFields(request, encoding)
  const verifier = found.get("code_verifier")
  found.delete("code_verifier")
  complain("token request", [
    ...(request.method === method ? [] : [`the method is ${request.method}`]),
    ...compareParameters(found, expectedParameters(token), values),
    ...compareHeaders(request.headers, { accept: /application\/json/, ...token.headers }, values),
    ...compareAuthorization(request.headers.get("authorization"), flow),
    ...(await compareVerifier(verifier, flow.values["challenge"] ?? "")),
  ])
  flow.keep({ code: "" })
}

function expectedParameters({ authentication = "basic", parameters, more }: TokenRules): Expected {
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
