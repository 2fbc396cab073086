// Imported as `@latchkey/core/providers/yahoo`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

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
    style: { brandColor: "#5f01d1", mark },
    options,
  }
}

const mark =
  "m18.86 1.56-4.59 10.31h5.13L24 1.56zM0 6.71l5.15 11.56-1.85 4.17h4.53l6.86-15.73h-4.5l-2.8 6.73-2.77-6.73zm15.62 6.16c-1.67 0-2.91 1.25-2.91 2.71 0 1.42 1.2 2.61 2.79 2.61 1.68 0 2.93-1.23 2.93-2.69 0-1.47-1.2-2.63-2.81-2.63"

export default Yahoo
