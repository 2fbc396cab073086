// Imported as `@latchkey/core/providers/hackclub`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of Hack Club, from the ID token or the userinfo endpoint.
 * @see https://auth.hackclub.com/docs/oidc-guide
 */
export interface HackClubProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  /** Requires the scope of the same name. */
  readonly slack_id?: string
  /** Requires the scope of the same name. */
  readonly verification_status?: string
  readonly [claim: string]: AnyValue
}

/**
 * Hack Club sign-in (OpenID Connect).
 *
 * Scopes: `openid profile email`; `slack_id` and `verification_status` add the claims of the same names. There is no
 * image. Register the redirect URI `<origin>/auth/callback/hackclub`.
 * @see https://auth.hackclub.com/docs
 */
export function HackClub(options: OIDCUserConfig<HackClubProfile> = {}): OIDCConfig<HackClubProfile> {
  return {
    id: "hackclub",
    name: "Hack Club",
    type: "oidc",
    issuer: "https://auth.hackclub.com",
    authorization: { params: { scope: "openid profile email" } },
    client: { token_endpoint_auth_method: "client_secret_post" },
    // PKCE is not supported.
    checks: ["state", "nonce"],
    profile: ({ sub, name, email }) => ({ id: sub, name: name ?? null, email: email ?? null, image: null }),
    style: { brandColor: "#EC3750", mark },
    options,
  }
}

const mark =
  "M12 0C2.4 0 0 2.4 0 12s2.4 12 12 12 12-2.4 12-12S21.6 0 12 0zm4.5 19.5094h-3.3094V13.003c0-.975-.1875-1.6218-.8343-1.6218-.7125 0-1.575 1.003-1.575 2.625v5.503H7.5V4.9689l3.2906-.5625v5.428c.7125-.6468 1.7063-.928 2.7188-.928 2.1562 0 2.9906 1.4156 2.9906 3.628z"

export default HackClub
