// Imported as `@latchkey/core/providers/cognito`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import { neutralMark } from "./_shared/profile.js"

/**
 * User claims of Cognito, from the ID token or the userinfo endpoint.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-id-token.html
 */
export interface CognitoProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Amazon Cognito sign-in (OpenID Connect). Requires `issuer` with region and user pool:
 * `https://cognito-idp.<region>.amazonaws.com/<user pool id>`.
 *
 * Scopes: `openid profile email` (default). The app client determines which attributes are returned. Register the
 * callback URL `<origin>/auth/callback/cognito`, and for sign-outs at the provider the sign-out URL
 * `<origin>/auth/signed-out`.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
 */
export function Cognito(options: OIDCUserConfig<CognitoProfile> = {}): OIDCConfig<CognitoProfile> {
  return {
    id: "cognito",
    name: "Cognito",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_AbCdEfGhI") },
    logout: {
      params: {
        id_token_hint: null,
        logout_hint: null,
        post_logout_redirect_uri: null,
        state: null,
        logout_uri: "{post_logout_redirect_uri}",
      },
    },
    style: { brandColor: "#C17B9E", mark: neutralMark },
    options,
  }
}

export default Cognito
