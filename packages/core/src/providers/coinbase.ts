// Imported as `@latchkey/core/providers/coinbase`.

import type { AnyValue } from "@latchkey/types"
import type { MarkPath, OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"

/**
 * A user as returned by the Coinbase API.
 * @see https://docs.cdp.coinbase.com/coinbase-app/track-apis/users
 */
export interface CoinbaseProfile {
  readonly data: {
    readonly id: string
    readonly name?: string | null
    readonly email?: string | null
    readonly avatar_url?: string | null
  }
  readonly [field: string]: AnyValue
}

/**
 * Coinbase sign-in (OAuth 2.0). New OAuth clients are available to partners only.
 *
 * Scopes: `wallet:user:read` for the profile, `wallet:user:email` for the email address. A refresh token requires
 * `offline_access`. Name and image may be missing. Register the redirect URI `<origin>/auth/callback/coinbase`.
 * @see https://docs.cdp.coinbase.com/coinbase-app/oauth2-integration/overview
 */
export function Coinbase(options: OAuthUserConfig<CoinbaseProfile> = {}): OAuth2Config<CoinbaseProfile> {
  return {
    id: "coinbase",
    name: "Coinbase",
    type: "oauth",
    authorization: {
      url: "https://login.coinbase.com/oauth2/auth",
      params: { scope: "wallet:user:email wallet:user:read" },
    },
    token: "https://login.coinbase.com/oauth2/token",
    userinfo: "https://api.coinbase.com/v2/user",
    profile: ({ data: { id, name, email, avatar_url } }) => ({
      id,
      name: name ?? null,
      email: email ?? null,
      image: avatar_url ?? null,
    }),
    style: { brandColor: "#0052ff", mark },
    options,
  }
}

const mark: readonly MarkPath[] = [
  { path: "M12 0a12 12 0 1 1 0 24 12 12 0 0 1 0-24", color: "#0052ff" },
  {
    path: "M11.98 16.25a4.27 4.27 0 0 1-4.14-4.81 4.24 4.24 0 0 1 5.26-3.56 4.3 4.3 0 0 1 3.14 3.27h4.26a8.5 8.5 0 0 0-8.9-7.64A8.53 8.53 0 0 0 3.5 12a8.5 8.5 0 0 0 8.1 8.49 8.53 8.53 0 0 0 8.9-7.64h-4.26c0 1.7-2.56 3.4-4.26 3.4",
    color: "#fff",
  },
]

export default Coinbase
