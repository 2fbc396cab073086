// Imported as `@latchkey/core/providers/azure-ad-b2c`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import { neutralMark } from "./_shared/profile.js"

/**
 * The user flow determines which claims are present.
 * @see https://learn.microsoft.com/azure/active-directory-b2c/tokens-overview
 */
export interface AzureADB2CProfile {
  readonly sub: string
  readonly name?: string
  readonly emails?: readonly string[]
  readonly [claim: string]: AnyValue
}

/**
 * Azure AD B2C sign-in (OpenID Connect); closed to new customers. Requires `issuer` with tenant and user flow:
 * `https://<tenant>.b2clogin.com/<tenant>.onmicrosoft.com/<user flow>/v2.0`, or the issuer from the flow's discovery
 * document.
 *
 * Scopes: `openid profile email` (default). The email address is the first value of the claim `emails`, if the user
 * flow returns it. There is no image. Register the redirect URI `<origin>/auth/callback/azure-ad-b2c`.
 * @see https://learn.microsoft.com/azure/active-directory-b2c/openid-connect
 */
export function AzureADB2C(options: OIDCUserConfig<AzureADB2CProfile> = {}): OIDCConfig<AzureADB2CProfile> {
  return {
    id: "azure-ad-b2c",
    name: "Azure AD B2C",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://tenant.b2clogin.com/tenant.onmicrosoft.com/b2c_1_signin/v2.0") },
    profile: ({ sub, name, emails }) => ({ id: sub, name: name ?? null, email: emails?.[0] ?? null, image: null }),
    style: { brandColor: "#0072c6", mark: neutralMark },
    options,
  }
}

export default AzureADB2C
