import { type Incoming, jsonResponse, urlOf } from "./endpoint.js"
import type { ProviderState } from "./provider-state.js"

/** The discovery document, OpenID Connect Discovery 1.0 section 3. */
export async function serveDiscovery(incoming: Incoming, provider: ProviderState): Promise<Response> {
  const { issuer, keys, metadata, apply } = provider
  const document = {
    issuer,
    authorization_endpoint: urlOf(issuer, "authorization"),
    pushed_authorization_request_endpoint: urlOf(issuer, "pushed"),
    token_endpoint: urlOf(issuer, "token"),
    userinfo_endpoint: urlOf(issuer, "userinfo"),
    jwks_uri: urlOf(issuer, "jwks"),
    end_session_endpoint: urlOf(issuer, "logout"),
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    scopes_supported: ["openid", "profile", "email"],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post", "jwt", "query.jwt", "form_post.jwt"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [keys.alg],
    authorization_signing_alg_values_supported: [keys.own],
    token_endpoint_auth_methods_supported: [
      "client_secret_basic",
      "client_secret_post",
      "client_secret_jwt",
      "private_key_jwt",
      "none",
    ],
    token_endpoint_auth_signing_alg_values_supported: ["HS256", "RS256", "PS256", "ES256", "EdDSA", "Ed25519"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ...metadata,
  }
  return jsonResponse(await apply("metadata", document, { endpoint: "discovery", issuer, keys, incoming }))
}

/** The key set, RFC 7517 section 5. */
export async function serveJwks(incoming: Incoming, { issuer, keys, apply }: ProviderState): Promise<Response> {
  const published = await apply("jwks", await keys.published(), { endpoint: "jwks", issuer, keys, incoming })
  return jsonResponse({ keys: published })
}
