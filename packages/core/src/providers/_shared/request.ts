import type { TokenRequestContext, UserinfoRequestContext } from "../../types/oauth-provider.js"
import type { Profile } from "../../types/user.js"
import type { ProfileRequest } from "./json-request.js"

/**
 * Requests a JSON object from one of the vendor's endpoints, by default the profile.
 * @throws Error for a status outside 200-299, for anything but a JSON object, and for an object with an `error`. Its
 *   message has the provider's name and the status.
 */
export async function requestProfile(context: UserinfoRequestContext, request: ProfileRequest = {}): Promise<Profile> {
  const body = await requestJson(context, request)
  if (!isObject(body)) throw new Error(`The profile response from ${context.provider.name} is not a JSON object`)
  assertSuccess(!body["error"], context)
  return body
}

/**
 * Requests JSON of any shape from one of the vendor's endpoints. Its code is loaded with the first callback.
 * @throws Error for a status outside 200-299, and for a response that is not JSON.
 */
export async function requestJson(context: UserinfoRequestContext, request: ProfileRequest): Promise<unknown> {
  const { sendRequest } = await import("./json-request.js")
  return sendRequest(context, request)
}

/**
 * For vendors that report a failure with a successful status.
 * @throws Error with the provider's name.
 */
export function assertSuccess(isSuccess: boolean, { provider }: Pick<UserinfoRequestContext, "provider">): void {
  if (!isSuccess) throw new Error(`The profile response from ${provider.name} reports an error`)
}

/**
 * Sends a query to a vendor's GraphQL endpoint.
 * @returns The complete response, including `data`.
 * @throws Error if the request fails, or if the response has `errors` (other than an empty list) or no `data`.
 */
export async function requestGraphQL(context: UserinfoRequestContext, query: string): Promise<Profile> {
  const headers = { "content-type": "application/json" }
  const response = await requestProfile(context, { method: "POST", headers, body: JSON.stringify({ query }) })
  const errors = response["errors"] ?? []
  assertSuccess(Array.isArray(errors) && errors.length === 0 && Boolean(response["data"]), context)
  return response
}

/** A `token.request` for vendors that expect the fields of RFC 6749 section 4.1.3 as JSON. */
export function requestTokensAsJson({ url, headers, params, provider }: TokenRequestContext): Promise<Response> {
  return postJson(provider.fetch, { url, headers, fields: Object.fromEntries(params) })
}

interface JsonPost {
  readonly url: string | URL
  readonly headers: Headers
  readonly fields: Readonly<Record<string, unknown>>
}

/** Posts fields as JSON with a provider's `fetch`. */
export function postJson(send: typeof fetch, { url, headers, fields }: JsonPost): Promise<Response> {
  const sent = new Headers(headers)
  sent.set("content-type", "application/json; charset=utf-8")
  return send(url, { method: "POST", headers: sent, body: JSON.stringify(fields) })
}

/** The fields of a vendor's JSON response. */
export type ResponseFields = Readonly<Record<string, unknown>>

/**
 * A `token.conform` that repairs the fields of a successful response; anything but a JSON object is left unchanged. A
 * repair that returns `error` turns the response into an error response, RFC 6749 section 5.2.
 */
export function conformFields(
  repair: (fields: ResponseFields) => ResponseFields,
): (response: Response) => Promise<Response> {
  return async (response) => {
    const text = await response.text()
    const fields = response.ok ? parseFields(text) : null
    if (fields === null) return new Response(text || null, { status: response.status, headers: response.headers })
    const repaired = repair(fields)
    return Response.json(repaired, { status: "error" in repaired ? 400 : 200 })
  }
}

function parseFields(text: string): ResponseFields | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null // The code that reads the response reports it.
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** For responses without `token_type`, which RFC 6749 section 5.1 requires. */
export function withTokenType(fields: ResponseFields): ResponseFields {
  return { token_type: "bearer", ...fields }
}

/** For responses with a list of scopes; RFC 6749 section 3.3 requires a string. */
export function withScopeString({ scope, ...fields }: ResponseFields): ResponseFields {
  if (scope === undefined) return fields
  return { ...fields, scope: Array.isArray(scope) ? scope.join(" ") : scope }
}

/** The parameters with one of them renamed, in the same order. Others that already had the new name are removed. */
export function renameParameter(parameters: URLSearchParams, from: string, to: string): URLSearchParams {
  const others = [...parameters].filter(([name]) => name !== to)
  return new URLSearchParams(others.map(([name, value]) => [name === from ? to : name, value]))
}

/** For an `authorization.request`: the URL with one parameter renamed. */
export function withRenamedParameter(url: URL, from: string, to: string): URL {
  const renamed = new URL(url)
  renamed.search = renameParameter(url.searchParams, from, to).toString()
  return renamed
}
