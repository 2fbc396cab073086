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
 * `https://<tenant>.b2clogin.com/<tenant>.onmicrosoft.com/<user flow>/v2.0`. Tokens have the issuer that the flow's
 * discovery document names.
 *
 * Scopes: `openid` and the client ID, without which B2C returns no access token. The claims are those of the user flow.
 * The email address is the first value of `emails`, if the flow returns it. There is no image. Register the redirect URI
 * `<origin>/auth/callback/azure-ad-b2c`.
 * @see https://learn.microsoft.com/azure/active-directory-b2c/openid-connect
 */
export function AzureADB2C(options: OIDCUserConfig<AzureADB2CProfile> = {}): OIDCConfig<AzureADB2CProfile> {
  return {
    id: "azure-ad-b2c",
    name: "Azure AD B2C",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://tenant.b2clogin.com/tenant.onmicrosoft.com/b2c_1_signin/v2.0") },
    derive: ({ issuer = "", clientId }) => {
      const isIssuer = createIssuerCheck(issuer)
      return {
        authorization: { params: { scope: clientId ? `openid ${clientId}` : "openid" } },
        ...(isIssuer && { issuer, isIssuer }),
      }
    },
    profile: ({ sub, name, emails }) => ({ id: sub, name: name ?? null, email: emails?.[0] ?? null, image: null }),
    style: { brandColor: "#0078d4", mark },
    options,
  }
}

type IssuerCheck = NonNullable<OIDCConfig["isIssuer"]>

/**
 * Accepts the issuer of a discovery document: it has the ID of the tenant, and the user flow only if a setting of the flow
 * adds it. An ID token must have the same, which the caller compares.
 * @see https://learn.microsoft.com/azure/active-directory-b2c/tokens-overview#compatibility
 */
function createIssuerCheck(configured: string): IssuerCheck | null {
  const own = parseIssuer(configured)
  if (own === null) return null
  return (issuer, claims) => {
    const found = parseIssuer(issuer)
    if (found === null || found.origin !== own.origin || Object.keys(claims).length > 0) return false
    const isTenant = guid.test(own.tenant) ? found.tenant === own.tenant : guid.test(found.tenant)
    return isTenant && (!found.flow || !own.flow || found.flow === own.flow)
  }
}

const guid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** In lower case, as B2C compares them. */
function parseIssuer(issuer: string): { origin?: string; tenant: string; flow?: string } | null {
  const parts = /^(https:\/\/[^/]+)\/(?:tfp\/)?([^/]+)(?:\/([^/]+))?\/v2\.0\/?$/.exec(issuer.toLowerCase())
  const [, origin = "", tenant = "", flow = ""] = parts ?? []
  return parts && { origin, tenant, flow }
}

const mark =
  "M22.38 23.34a1.62 1.62 0 0 0 1.54-2.14L17.35 1.76a1.6 1.6 0 0 0-1.53-1.1H8.18a1.6 1.6 0 0 0-1.53 1.1L.09 21.2a1.62 1.62 0 0 0 1.53 2.14h4.74a1.6 1.6 0 0 0 1.54-1.1l.97-2.9 4.95 3.68q.43.32.97.32M11.7 10.81l3.63 10.74a.54.54 0 0 1-.51.71h-.03a.5.5 0 0 1-.32-.1l-9.3-6.9h4.86m6.32 7c.11-.32.12-.7 0-1.06L9.8 1.76v-.02h6.03a.5.5 0 0 1 .5.37l6.57 19.44a.54.54 0 0 1-.34.69"

export default AzureADB2C
