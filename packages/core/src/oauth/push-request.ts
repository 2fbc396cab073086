import { processPushedAuthorizationResponse, pushedAuthorizationRequest } from "oauth4webapi"
import type { ResolvedOAuthProvider } from "../config/resolved-provider.js"
import type { Clock } from "../contract/clock.js"
import { getClientAuthentication, toClient } from "./client.js"
import type { ProviderServer } from "./endpoints.js"
import { createProviderFetch, toCallOptions } from "./provider-fetch.js"

export interface PushContext {
  readonly provider: ResolvedOAuthProvider
  readonly server: ProviderServer
  readonly clock: Clock
}

/** Whether the request goes to the provider first: as the host says, else as the provider requires it. */
export function isPushed({ authorization }: ResolvedOAuthProvider, { metadata }: ProviderServer): boolean {
  if (authorization.pushed !== undefined) return authorization.pushed !== false
  return metadata.require_pushed_authorization_requests === true
}

/**
 * Hands an authorization request to the provider itself, RFC 9126 section 2, where the app proves who it is: nobody on
 * the way can read or change it.
 * @returns What goes through the browser in its place.
 * @throws ProviderError, or an error of the protocol library.
 */
export async function pushRequest(
  parameters: URLSearchParams,
  { provider, server, clock }: PushContext,
): Promise<URLSearchParams> {
  const client = toClient(provider, clock)
  const response = await pushedAuthorizationRequest(
    server.metadata,
    client,
    getClientAuthentication(provider),
    parameters,
    toCallOptions(createProviderFetch(provider, "pushed-authorization")),
  )
  const { request_uri } = await processPushedAuthorizationResponse(server.metadata, client, response)
  return new URLSearchParams({ client_id: client.client_id, request_uri })
}
