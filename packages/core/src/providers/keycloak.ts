// Imported as `@latchkey/core/providers/keycloak`.
import type { OIDCConfig, OIDCUserConfig } from "../contract/oauth-provider.js"

/** @see https://www.keycloak.org/docs/latest/server_admin/#_oidc_token_role_mappings */
export interface KeycloakProfile {
  readonly sub: string
  readonly name?: string
  readonly preferred_username?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: unknown
}

/**
 * Keycloak sign-in (OpenID Connect). Needs `issuer` with the realm: `https://id.example.com/realms/<realm>`.
 *
 * Scopes: `openid profile email`, the default. Name, address and image depend on the realm's mappers. Register the
 * redirect URI `<origin>/auth/callback/keycloak` for the client.
 * @see https://www.keycloak.org/securing-apps/oidc-layers
 */
export function Keycloak(options: OIDCUserConfig<KeycloakProfile> = {}): OIDCConfig<KeycloakProfile> {
  return { id: "keycloak", name: "Keycloak", type: "oidc", style: { brandColor: "#428bca" }, options }
}

export default Keycloak
