// Imported as `@latchkey/core/providers/duende-identity-server6`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

/**
 * User claims of DuendeIdentityServer6, from the ID token or the userinfo endpoint.
 * @see https://docs.duendesoftware.com/identityserver/fundamentals/claims/
 */
export interface DuendeIdentityServer6Profile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly [claim: string]: AnyValue
}

/**
 * Duende IdentityServer sign-in (OpenID Connect). Requires `issuer`, the server's URL.
 *
 * Scopes: `openid profile email` (default). The ID token contains the name and email address only if the client
 * always includes user claims; otherwise set `idToken: false` to read them from the userinfo endpoint. Register the
 * redirect URI `<origin>/auth/callback/duende-identity-server6`.
 * @see https://docs.duendesoftware.com/identityserver/
 */
export function DuendeIdentityServer6(
  options: OIDCUserConfig<DuendeIdentityServer6Profile> = {},
): OIDCConfig<DuendeIdentityServer6Profile> {
  return {
    id: "duende-identity-server6",
    name: "DuendeIdentityServer6",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://id.example.com") },
    options,
  }
}

export default DuendeIdentityServer6
