// Imported as `@latchkey/core/providers/yahoo`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { neutralMark } from "./_shared/profile.js"

/**
 * User claims of Yahoo, from the ID token or the userinfo endpoint.
 * @see https://developer.yahoo.com/sign-in-with-yahoo/
 */
export interface YahooProfile {
  readonly sub: string
  readonly name?: string
  readonly nickname?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Sign in with Yahoo (OpenID Connect).
 *
 * Scopes: `openid profile email`. The email address and image may be missing. Register the redirect URI
 * `<origin>/auth/callback/yahoo`; it must be https.
 * @see https://developer.yahoo.com/sign-in-with-yahoo/
 */
export function Yahoo(options: OIDCUserConfig<YahooProfile> = {}): OIDCConfig<YahooProfile> {
  return {
    id: "yahoo",
    name: "Yahoo",
    type: "oidc",
    issuer: "https://api.login.yahoo.com",
    authorization: { params: { scope: "openid profile email" } },
    checks: ["state", "nonce"],
    // Discovery announces both algorithms.
    idTokenAlgorithms: ["RS256", "ES256"],
    style: { mark: neutralMark },
    options,
  }
}

export default Yahoo
