import type { UserinfoRequestContext } from "../contract/oauth-provider.js"
import type { Profile } from "../contract/profile.js"

/** Where a vendor wants to read the access token. `none`: nowhere that this request would put it. */
export type TokenPlace = "bearer" | "none" | { readonly query: string } | { readonly header: string }

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
export type Answer = Profile

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
