// Imported as `@latchkey/core/providers/boxyhq-saml`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { deriveFromIssuer, issuerUrl } from "./_shared/options.js"
import { joinName } from "./_shared/profile.js"

/**
 * A user as returned by the BoxyHQ SAML API.
 * @see https://boxyhq.com/docs/jackson/saml-flow
 */
export interface BoxyHQSAMLProfile {
  readonly id: string
  readonly email: string
  readonly firstName?: string
  readonly lastName?: string
  readonly [field: string]: AnyValue
}

/**
 * SAML sign-in through BoxyHQ's bridge (OAuth 2.0). Requires `issuer`, the bridge's URL.
 *
 * Select the company's directory with `authorization: { params: { tenant, product } }`, or with a client ID such as
 * `tenant=acme.example&product=harbour`. The scope is ignored. There is no image. Register the redirect URL
 * `<origin>/auth/callback/boxyhq-saml` with each connection.
 * @see https://boxyhq.com/docs/jackson/saml-flow
 */
export function BoxyHQSAML(options: OAuthUserConfig<BoxyHQSAMLProfile> = {}): OAuth2Config<BoxyHQSAMLProfile> {
  return {
    id: "boxyhq-saml",
    name: "BoxyHQ SAML",
    type: "oauth",
    optionRules: { issuer: issuerUrl("https://saml.example.com") },
    authorization: { params: { provider: "saml" } },
    derive: deriveFromIssuer((base) => ({
      authorization: `${base}/api/oauth/authorize`,
      token: `${base}/api/oauth/token`,
      userinfo: `${base}/api/oauth/userinfo`,
    })),
    profile: ({ id, email, firstName, lastName }) => ({
      id,
      email,
      name: joinName(firstName, lastName),
      image: null,
    }),
    style: { brandColor: "#25c2a0" },
    options,
  }
}

export default BoxyHQSAML
