// Imported as `@latchkey/core/providers/azure-ad-b2c`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

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
    style: { brandColor: "#0078d4", mark },
    options,
  }
}

const mark =
  "M22.38 23.34a1.62 1.62 0 0 0 1.54-2.14L17.35 1.76a1.6 1.6 0 0 0-1.53-1.1H8.18a1.6 1.6 0 0 0-1.53 1.1L.09 21.2a1.62 1.62 0 0 0 1.53 2.14h4.74a1.6 1.6 0 0 0 1.54-1.1l.97-2.9 4.95 3.68q.43.32.97.32M11.7 10.81l3.63 10.74a.54.54 0 0 1-.51.71h-.03a.5.5 0 0 1-.32-.1l-9.3-6.9h4.86m6.32 7c.11-.32.12-.7 0-1.06L9.8 1.76v-.02h6.03a.5.5 0 0 1 .5.37l6.57 19.44a.54.54 0 0 1-.34.69"

export default AzureADB2C
