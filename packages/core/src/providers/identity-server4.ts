// Imported as `@latchkey/core/providers/identity-server4`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

/**
 * User claims of IdentityServer4, from the ID token or the userinfo endpoint.
 * @see https://identityserver4.readthedocs.io/en/latest/topics/resources.html
 */
export interface IdentityServer4Profile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly [claim: string]: AnyValue
}

/**
 * IdentityServer4 sign-in (OpenID Connect). Requires `issuer`, the server's URL. The product has reached its end of
 * life; its successor is `duende-identity-server6`.
 *
 * Scopes: `openid profile email` (default). The ID token contains the name and email address only if the client
 * always includes user claims; otherwise set `idToken: false` to read them from the userinfo endpoint. Register the
 * redirect URI `<origin>/auth/callback/identity-server4`.
 * @see https://identityserver4.readthedocs.io/en/latest/
 */
export function IdentityServer4(
  options: OIDCUserConfig<IdentityServer4Profile> = {},
): OIDCConfig<IdentityServer4Profile> {
  return {
    id: "identity-server4",
    name: "IdentityServer4",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://id.example.com") },
    options,
  }
}

export default IdentityServer4
