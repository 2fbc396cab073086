import type { TokenRequestContext, UserinfoRequestContext } from "../../types/oauth-provider.js"
import type { Profile } from "../../types/user.js"

/** Where a vendor wants to read the access token. `none`: nowhere that this request would put it. */
type TokenPlace = "bearer" | "none" | { readonly query: string } | { readonly header: string }

export interface ProfileRequest {
  /** Default: `userinfo.url`. */
  readonly url?: string | URL
  /** Default: `GET`. */
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams | string
  /** Default: in the `Authorization` header, RFC 6750 section 2.1. */
  readonly token?: TokenPlace
}

/** A vendor's answer: an object of fields that only its own mapping understands. */
type Answer = Profile

/**
 * Asks a vendor's endpoint, by default the one of the profile, for a JSON object.
 * @throws Error on any status outside 200-299, on what is no JSON object, and on one that holds an `error`. It names
 *   the
 * provider and the status.
 */
export async function requestProfile(context: UserinfoRequestContext, request: ProfileRequest = {}): Promise<Answer> {
  const answer = await requestJson(context, request)
  if (!isAnswer(answer)) {
    throw new Error(`${context.provider.name} answered the profile request with something that is no JSON object`)
  }
  assertAnswer(!answer["error"], context)
  return answer
}

/**
 * Asks a vendor's endpoint for JSON of any shape.
 * @throws Error on any status outside 200-299 and on what is no JSON.
 */
export async function requestJson(
  { tokens, url, provider }: UserinfoRequestContext,
  { method = "GET", headers, body, token = "bearer", ...request }: ProfileRequest,
): Promise<unknown> {
  const address = request.url ?? url
  if (address === undefined) throw new Error(`providers.${provider.id}.userinfo.url: there is none`)
  const target = new URL(address)
  const sent = new Headers({ accept: "application/json", ...headers })
  putToken(String(tokens.access_token), token, { target, headers: sent })
  const response = await provider.fetch(target.href, { method, headers: sent, ...(body !== undefined && { body }) })
  if (!response.ok) throw new Error(`${provider.name} answered the profile request with status ${response.status}`)
  return response.json().catch(() => {
    throw new Error(`${provider.name} answered the profile request with something that is no JSON`)
  })
}

interface Request {
  readonly target: URL
  readonly headers: Headers
}

function putToken(accessToken: string, place: TokenPlace, { target, headers }: Request): void {
  if (place === "none") return
  if (place === "bearer") headers.set("authorization", `Bearer ${accessToken}`)
  else if ("query" in place) target.searchParams.set(place.query, accessToken)
  else headers.set(place.header, accessToken)
}

function isAnswer(value: unknown): value is Answer {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/**
 * Refuses an answer with which a vendor reports a failure although the status says success.
 * @throws Error which names the provider.
 */
export function assertAnswer(isGood: boolean, { provider }: Pick<UserinfoRequestContext, "provider">): void {
  if (!isGood) throw new Error(`${provider.name} answered the profile request with an error`)
}

/**
 * Asks a vendor's GraphQL endpoint who signed in.
 * @returns The whole answer, `data` included.
 * @throws Error when the endpoint refuses, answers `errors` (an empty list is none), or no `data`.
 */
export async function requestGraphQL(context: UserinfoRequestContext, query: string): Promise<Answer> {
  const headers = { "content-type": "application/json" }
  const answer = await requestProfile(context, { method: "POST", headers, body: JSON.stringify({ query }) })
  const errors = answer["errors"] ?? []
  assertAnswer(Array.isArray(errors) && errors.length === 0 && Boolean(answer["data"]), context)
  return answer
}

/** A `token.request` for vendors who read the fields of RFC 6749 section 4.1.3 from a JSON body. */
export function requestTokensAsJson({ url, headers, params, provider }: TokenRequestContext): Promise<Response> {
  return postJson(provider.fetch, { url, headers, fields: Object.fromEntries(params) })
}

interface JsonPost {
  readonly url: string | URL
  readonly headers: Headers
  readonly fields: Readonly<Record<string, unknown>>
}

/** Posts fields as JSON through a provider's fetch. */
export function postJson(call: typeof fetch, { url, headers, fields }: JsonPost): Promise<Response> {
  const sent = new Headers(headers)
  sent.set("content-type", "application/json; charset=utf-8")
  return call(url, { method: "POST", headers: sent, body: JSON.stringify(fields) })
}

/** The fields of a JSON object that a vendor answered. */
export type AnswerFields = Readonly<Record<string, unknown>>

/**
 * A `token.conform` that repairs the fields of a successful answer; what is no JSON object stays as it is. A repair
 * that returns `error` turns the answer into a refusal, RFC 6749 section 5.2.
 */
export function conformAnswer(repair: (fields: AnswerFields) => AnswerFields): (answer: Response) => Promise<Response> {
  return async (answer) => {
    const text = await answer.text()
    const fields = answer.ok ? parseFields(text) : null
    if (fields === null) return new Response(text || null, { status: answer.status, headers: answer.headers })
    const repaired = repair(fields)
    return Response.json(repaired, { status: "error" in repaired ? 400 : 200 })
  }
}

function parseFields(text: string): AnswerFields | null {
  try {
    const value: unknown = JSON.parse(text)
    // A JSON object has text as keys.
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as AnswerFields) : null
  } catch {
    return null // Which the reader of the answer reports.
  }
}

/** For answers that leave out `token_type`, which RFC 6749 section 5.1 requires. */
export function withTokenType(fields: AnswerFields): AnswerFields {
  return { token_type: "bearer", ...fields }
}

/** For answers that list the scopes, where RFC 6749 section 3.3 has one text. */
export function withScopeText({ scope, ...fields }: AnswerFields): AnswerFields {
  if (scope === undefined) return fields
  return { ...fields, scope: Array.isArray(scope) ? scope.join(" ") : scope }
}

/** The same parameters with one of another name, at the same place. What had that name before is gone. */
export function renameParameter(parameters: URLSearchParams, from: string, to: string): URLSearchParams {
  const others = [...parameters].filter(([name]) => name !== to)
  return new URLSearchParams(others.map(([name, value]) => [name === from ? to : name, value]))
}

/** For an `authorization.request`: the URL with one parameter of another name. */
export function withRenamedParameter(url: URL, from: string, to: string): URL {
  const renamed = new URL(url)
  renamed.search = renameParameter(url.searchParams, from, to).toString()
  return renamed
}
