// Imported as `@latchkey/core/providers/jumpcloud`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of JumpCloud, from the ID token or the userinfo endpoint.
 * @see https://jumpcloud.com/support/sso-with-oidc
 */
export interface JumpCloudProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly [claim: string]: AnyValue
}

/**
 * JumpCloud sign-in (OpenID Connect).
 *
 * Scopes: `openid profile email`. Name and email address are only returned if an administrator maps these attributes.
 * An app with "Client Secret Post" needs `client: { token_endpoint_auth_method: "client_secret_post" }`. Register the
 * redirect URI `<origin>/auth/callback/jumpcloud`.
 * @see https://jumpcloud.com/support/sso-with-oidc
 */
export function JumpCloud(options: OIDCUserConfig<JumpCloudProfile> = {}): OIDCConfig<JumpCloudProfile> {
  return {
    id: "jumpcloud",
    name: "JumpCloud",
    type: "oidc",
    issuer: "https://oauth.id.jumpcloud.com/",
    authorization: { params: { scope: "openid profile email" } },
    checks: ["state", "nonce"],
    options,
  }
}

export default JumpCloud
