// Imported as `@latchkey/core/providers/cognito`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"

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
 * `<origin>/auth/signed-out`. A nonce is sent: without one, Cognito puts its own into the ID token of a user who comes from
 * a third-party identity provider, and the token is refused.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html
 */
export function Cognito(options: OIDCUserConfig<CognitoProfile> = {}): OIDCConfig<CognitoProfile> {
  return {
    id: "cognito",
    name: "Cognito",
    type: "oidc",
    checks: ["pkce", "nonce"],
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
    style: { brandColor: "#dd344c", mark },
    options,
  }
}

const mark =
  "M2.13 10.2h5.53v-.85H2.13Zm19.03 6.18.6.6-3.16 3.16a.43.43 0 0 1-.6 0l-1.59-1.59.6-.6 1.3 1.29Zm1.96 2.35a4 4 0 0 1-2.29 3.18q-1.05.49-2.21.35a4 4 0 0 1-2.02-.84 4 4 0 0 1-1.5-3.67 4 4 0 0 1 2.16-3.12 4 4 0 0 1 2.33-.42 4 4 0 0 1 3.12 2.18c.36.72.5 1.53.4 2.34m.36-2.73a4.89 4.89 0 0 0-9.22 1.64 4.9 4.9 0 0 0 1.82 4.45 4.9 4.9 0 0 0 5.13.58 5 5 0 0 0 1.63-1.24 5 5 0 0 0 1.13-2.6 5 5 0 0 0-.5-2.83M6.38 12.75h1.7v-.85h-1.7Zm-4.25 0h3.4v-.85h-3.4ZM1.76 1.71h19.03c.5 0 .9.5.9 1.1v3.14h-1.27V3.83a.43.43 0 0 0-.42-.42h-9.8a.43.43 0 0 0-.43.42v2.12H.86V2.81c0-.6.42-1.1.91-1.1m13.35 4.12c.99 0 1.8.8 1.8 1.77a1.8 1.8 0 0 1-.93 1.55 1.8 1.8 0 0 1-1.74 0 1.8 1.8 0 0 1-.92-1.55c0-.98.8-1.77 1.8-1.77ZM.85 15.05V6.8h8.94v7.23c0 .23.19.42.42.42h4.45v-.85H11.1a3.9 3.9 0 0 1 2.79-3.64 3 3 0 0 0 2.41 0 4 4 0 0 1 2.24 1.72l.73-.44a5 5 0 0 0-2.2-1.9 2.6 2.6 0 0 0 .67-1.74c0-1.44-1.18-2.62-2.64-2.62s-2.64 1.18-2.64 2.62c0 .65.24 1.26.67 1.73a4.7 4.7 0 0 0-2.5 2.49V4.26h8.93v6.8h.85V6.8h1.28v6.38h.85V2.8c0-1.08-.8-1.95-1.76-1.95H1.76C.79.86 0 1.73 0 2.8v12.24C0 16.11.79 17 1.76 17h11.43v-.85H1.76c-.5 0-.9-.5-.9-1.1Z"

export default Cognito
