import { compareHeaders, compareParameters, fill } from "./expectations.js"
import { readFields } from "./vendor-fields.js"
import { complain, toAnswer, toRefusal, type VendorFlow, valuesOf } from "./vendor-flow.js"
import { signClaims } from "./vendor-issue.js"
import type { ResourceRules } from "./vendor-rules.js"

/** Answers a request that comes with an access token, if it is the one that this vendor wants. */
export async function answerVendorResource(
  request: Request,
  resource: ResourceRules,
  flow: VendorFlow,
): Promise<Response> {
  const { profile } = flow.rules
  await assertResourceRequest(request, resource, flow)
  if (flow.refused === "profile" && resource === flow.rules.resources?.[0]) {
    return toRefusal(resource.refusal ?? { status: 401, body: { error: "invalid_token" } })
  }
  const sign = (claims: typeof profile) => signClaims(claims, flow)
  return toAnswer(await (resource.answer?.({ profile, clientId: flow.client.client_id, sign }) ?? profile))
}

async function assertResourceRequest(request: Request, resource: ResourceRules, flow: VendorFlow): Promise<void> {
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
