import { processRevocationResponse, revocationRequest } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import { getClientAuthentication, toClient } from "./client.js"
import type { ProviderEndpoints } from "./endpoints.js"
import { assertSecureUrl, createProviderFetch, parseEndpoint, toCallOptions } from "./fetch.js"

/** A token to revoke, and what it is. */
export interface RevokedToken {
  readonly token: string
  readonly kind: "refresh_token" | "access_token"
}

/**
 * Revokes a token at its provider, RFC 7009. With a refresh token, the provider revokes the access tokens of its grant too.
 * @returns false if the provider has no endpoint for it
 * @throws ProviderError, or an error of the protocol library
 */
export async function revokeToken(
  { token, kind }: RevokedToken,
  provider: ResolvedOAuthProvider,
  endpoints: ProviderEndpoints,
): Promise<boolean> {
  const address = provider.revocation ?? (await endpoints.findRevocation(provider))
  if (address === undefined) return false
  assertSecureUrl(parseEndpoint(address, "revocation"), { endpoint: "revocation", ...provider.advanced })
  const server = { issuer: provider.issuer ?? address, revocation_endpoint: address }
  const client = toClient(provider, endpoints.clock)
  const response = await revocationRequest(server, client, getClientAuthentication(provider), token, {
    ...toCallOptions(createProviderFetch(provider, "revocation")),
    additionalParameters: { token_type_hint: kind },
  })
  await processRevocationResponse(response)
  return true
}
