// Imported as `@latchkey/core/providers/osso`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl } from "./_shared/options.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Osso API.
 * @see https://github.com/enterprise-oss/osso
 */
export interface OssoProfile {
  readonly id: string
  readonly email?: string
  readonly [field: string]: AnyValue
}

/**
 * Osso sign-in (OAuth 2.0 in front of SAML). Requires `issuer`, the installation's URL. The product was last updated
 * in May 2021; the provider remains for existing installations.
 *
 * Scopes: `openid profile email` (default). There is no image. Register the callback URL
 * `<origin>/auth/callback/osso`.
 * @see https://github.com/enterprise-oss/osso
 */
export function Osso(options: OAuthUserConfig<OssoProfile> = {}): OAuth2Config<OssoProfile> {
  return {
    id: "osso",
    name: "Osso",
    type: "oauth",
    derive: deriveFromIssuer((base) => ({
      authorization: `${base}/oauth/authorize`,
      token: `${base}/oauth/token`,
      userinfo: {
        url: `${base}/oauth/me`,
        request: (context) => requestProfile(context, { token: { query: "access_token" } }),
      },
    })),
    optionRules: { issuer: issuerUrl("https://osso.example.com") },
    options,
  }
}

export default Osso
