import { authorizationCodeGrantRequest, type Client, customFetch as callWith, nopkce } from "oauth4webapi"
import { getClientAuthentication } from "./client.js"
import type { ProviderContext } from "./provider-context.js"
import { createProviderFetch, type ProtocolCallOptions, toCallOptions } from "./provider-fetch.js"
import { toTextParameters } from "./text-parameters.js"

export interface CodeGrant {
  /** Validated parameters of the authorization response. */
  readonly parameters: URLSearchParams
  readonly client: Client
  readonly redirectUri: string
  readonly codeVerifier?: string | undefined
  readonly nonce?: string | undefined
}

/**
 * Sends the code to the token endpoint, RFC 6749 section 4.1.3, or lets the provider's `token.request` send what the
 * endpoint wants instead.
 */
export function requestTokens(
  grant: CodeGrant,
  { provider, server }: Pick<ProviderContext, "provider" | "server">,
): Promise<Response> {
  return authorizationCodeGrantRequest(
    server.metadata,
    grant.client,
    getClientAuthentication(provider),
    grant.parameters,
    grant.redirectUri,
    grant.codeVerifier ?? nopkce,
    { ...toTokenCall(grant, provider), additionalParameters: toTextParameters(provider.token.params) },
  )
}

function toTokenCall({ parameters }: CodeGrant, provider: ProviderContext["provider"]): ProtocolCallOptions {
  const fetch = createProviderFetch(provider, "token")
  const call = toCallOptions(fetch)
  const request = provider.token.request
  if (!request) return call
  return {
    ...call,
    [callWith]: async (url, init) => {
      const { headers, body }: RequestInit = init
      return request({
        url,
        headers: new Headers(headers),
        // The library sends a form.
        params: new URLSearchParams(String(body)),
        callback: new URLSearchParams(parameters),
        provider: { ...provider, fetch },
      })
    },
  }
}
