// Imported as `@latchkey/core/providers/auth0`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

/**
 * User claims of Auth0, from the ID token or the userinfo endpoint.
 * @see https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure
 */
export interface Auth0Profile {
  readonly sub: string
  readonly name?: string
  readonly nickname?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Auth0 sign-in (OpenID Connect). Requires `issuer`, the tenant's URL: `https://<tenant>.<region>.auth0.com`.
 *
 * Scopes: `openid profile email` (default). The email address may be missing, depending on the connection. An app
 * that signs with HS256 needs `client: { id_token_signed_response_alg: "HS256" }`. Register the callback URL
 * `<origin>/auth/callback/auth0`, and for sign-outs at the provider the logout URL `<origin>/auth/signed-out`.
 * @see https://auth0.com/docs/get-started/applications/application-settings
 */
export function Auth0(options: OIDCUserConfig<Auth0Profile> = {}): OIDCConfig<Auth0Profile> {
  return {
    id: "auth0",
    name: "Auth0",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://tenant.eu.auth0.com") },
    // Tenants name the standard endpoint in their discovery document only if they switched it on.
    derive: ({ issuer = "" }) => ({ logout: { url: `${issuer.replace(/\/$/, "")}/v2/logout` } }),
    logout: {
      params: {
        id_token_hint: null,
        logout_hint: null,
        post_logout_redirect_uri: null,
        state: null,
        returnTo: "{post_logout_redirect_uri}",
      },
    },
    style: { brandColor: "#EB5424", mark },
    options,
  }
}

const mark =
  "M21.98 7.448L19.62 0H4.347L2.02 7.448c-1.352 4.312.03 9.206 3.815 12.015L12.007 24l6.157-4.552c3.755-2.81 5.182-7.688 3.815-12.015l-6.16 4.58 2.343 7.45-6.157-4.597-6.158 4.58 2.358-7.433-6.188-4.55 7.63-.045L12.008 0l2.356 7.404 7.615.044z"

export default Auth0
