// Imported as `@latchkey/core/providers/bankid-no`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of BankID Norge, from the ID token or the userinfo endpoint.
 * @see https://developer.bankid.no/bankid-with-biometrics/scopes-and-claims/
 */
export interface BankIDNorwayProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly [claim: string]: AnyValue
}

/**
 * BankID in Norway (OpenID Connect).
 *
 * Scopes: `openid profile email` (default). The profile comes from the userinfo endpoint, which returns a signed JWT.
 * The email address may be missing; there is no image. `ui_locales` is Norwegian and `login_hint` is `BIS`; change
 * them with `authorization: { params }`. Register the redirect URI `<origin>/auth/callback/bankid-no`.
 * @see https://developer.bankid.no/
 */
export function BankIDNorway(options: OIDCUserConfig<BankIDNorwayProfile> = {}): OIDCConfig<BankIDNorwayProfile> {
  return {
    id: "bankid-no",
    name: "BankID Norge",
    type: "oidc",
    issuer: "https://auth.bankid.no/auth/realms/prod",
    authorization: { params: { ui_locales: "no", login_hint: "BIS" } },
    client: { token_endpoint_auth_method: "client_secret_post", userinfo_signed_response_alg: "RS256" },
    idToken: false,
    checks: ["pkce", "state", "nonce"],
    profile: ({ sub, name, email }) => ({ id: sub, name: name ?? null, email: email ?? null, image: null }),
    style: { brandColor: "#39134c" },
    options,
  }
}

export default BankIDNorway
