import type { UserinfoRequestContext } from "../../types/oauth-provider.js"

/** A request to one of the vendor's endpoints. */
export interface ProfileRequest {
  /** Default: `userinfo.url`. */
  readonly url?: string | URL
  /** Default: `GET`. */
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: URLSearchParams | string
  /**
   * Where the vendor expects the access token. Default: `bearer`, the `Authorization` header of RFC 6750 section 2.1.
   * With `none`, the token is not added.
   */
  readonly token?: "bearer" | "none" | { readonly query: string } | { readonly header: string }
}

/**
 * Sends the request of `requestJson`.
 * @throws Error for a status outside 200-299, and for a response that is not JSON.
 */
export async function sendRequest(
  { tokens, url, provider }: UserinfoRequestContext,
  { method = "GET", headers, body, token = "bearer", ...request }: ProfileRequest,
): Promise<unknown> {
  const address = request.url ?? url
  if (address === undefined) {
    throw new Error(`providers.${provider.id}.userinfo.url: missing. Set it to the URL of the profile endpoint`)
  }
  const accessToken = String(tokens.access_token)
  const target = new URL(address)
  const sent = new Headers({ accept: "application/json", ...headers })
  if (token === "bearer") sent.set("authorization", `Bearer ${accessToken}`)
  else if (token !== "none" && "query" in token) target.searchParams.set(token.query, accessToken)
  else if (token !== "none") sent.set(token.header, accessToken)
  const response = await provider.fetch(target.href, { method, headers: sent, ...(body !== undefined && { body }) })
  if (!response.ok) throw new Error(`The profile request to ${provider.name} failed with status ${response.status}`)
  return response.json().catch(() => {
    throw new Error(`The profile response from ${provider.name} is not JSON`)
  })
}
