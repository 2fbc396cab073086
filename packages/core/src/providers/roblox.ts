// Imported as `@latchkey/core/providers/roblox`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of Roblox, from the ID token or the userinfo endpoint.
 * @see https://create.roblox.com/docs/cloud/auth/oauth2-reference
 */
export interface RobloxProfile {
  readonly sub: string
  readonly name?: string
  readonly nickname?: string
  readonly preferred_username?: string
  readonly picture?: string | null
  readonly [claim: string]: AnyValue
}

/**
 * Roblox sign-in (OpenID Connect).
 *
 * Scopes: `openid profile`. There is no email address, and the image may be missing. `nickname` is the display name,
 * `preferred_username` the user name. Register the callback URL `<origin>/auth/callback/roblox`.
 * @see https://create.roblox.com/docs/cloud/auth/oauth2-reference
 */
export function Roblox(options: OIDCUserConfig<RobloxProfile> = {}): OIDCConfig<RobloxProfile> {
  return {
    id: "roblox",
    name: "Roblox",
    type: "oidc",
    issuer: "https://apis.roblox.com/oauth/",
    authorization: { params: { scope: "openid profile" } },
    checks: ["pkce", "state"],
    style: { brandColor: "#5865F2", mark },
    options,
  }
}

const mark = "M18.926 23.998 0 18.892 5.075.002 24 5.108ZM15.348 10.09l-5.282-1.453-1.414 5.273 5.282 1.453z"

export default Roblox
