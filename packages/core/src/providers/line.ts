// Imported as `@latchkey/core/providers/line`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of LINE, from the ID token or the userinfo endpoint.
 * @see https://developers.line.biz/en/docs/line-login/verify-id-token/
 */
export interface LineProfile {
  readonly sub: string
  readonly name?: string
  /** LINE does not report whether it is verified. */
  readonly email?: string
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * LINE Login (OpenID Connect).
 *
 * Scopes: `openid profile email` (default). The email address is only returned if LINE approved it for the channel.
 * Register the callback URL `<origin>/auth/callback/line`.
 * @see https://developers.line.biz/en/docs/line-login/integrate-line-login/
 */
export function Line(options: OIDCUserConfig<LineProfile> = {}): OIDCConfig<LineProfile> {
  return {
    id: "line",
    name: "LINE",
    type: "oidc",
    issuer: "https://access.line.me",
    // Tokens of a web login are signed with the channel's secret, although discovery announces only ES256.
    client: { id_token_signed_response_alg: "HS256" },
    checks: ["pkce", "state"],
    style: { brandColor: "#00C300", mark },
    options,
  }
}

const mark =
  "M19.36 9.86a.63.63 0 0 1 0 1.26h-1.75v1.13h1.76a.63.63 0 1 1 0 1.26h-2.4a.63.63 0 0 1-.62-.63V8.1c0-.35.28-.63.63-.63h2.39a.63.63 0 0 1 0 1.26H17.6v1.12zm-3.85 3.02a.63.63 0 0 1-.63.63.6.6 0 0 1-.51-.25l-2.44-3.32v2.94a.63.63 0 0 1-1.26 0V8.1a.63.63 0 0 1 .62-.63q.31.01.5.25l2.46 3.33V8.11c0-.35.28-.63.63-.63s.63.28.63.63zm-5.74 0c0 .34-.28.63-.63.63a.63.63 0 0 1-.63-.63V8.1c0-.35.28-.63.63-.63s.63.28.63.63zm-2.47.63H4.92a.63.63 0 0 1-.63-.63V8.1c0-.35.28-.63.63-.63s.63.28.63.63v4.14H7.3a.63.63 0 0 1 0 1.26M24 10.3C24 4.94 18.61.57 12 .57S0 4.94 0 10.31c0 4.81 4.27 8.85 10.04 9.61.39.08.92.26 1.05.6.12.3.08.76.04 1.07l-.16 1.02c-.05.3-.24 1.19 1.05.65s6.91-4.08 9.43-6.98C23.18 14.4 24 12.46 24 10.31"

export default Line
