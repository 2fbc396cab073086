import type { TokenRequestContext } from "../contract/oauth-provider.js"

/** A `token.request` for vendors who read the fields of RFC 6749 section 4.1.3 from a JSON body. */
export function requestTokensAsJson({ url, headers, params, provider }: TokenRequestContext): Promise<Response> {
  return postJson(provider.fetch, { url, headers, fields: Object.fromEntries(params) })
}

export interface JsonPost {
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
