// Imported as `@latchkey/core/providers/oidc`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"

/** Options of a provider that follows OpenID Connect. */
export interface OpenIDConnectOptions<P = Profile> extends OIDCUserConfig<P> {
  /** Part of the callback URL: letters, digits and hyphens. */
  readonly id: string
  readonly issuer: string
  /** Default: the ID. */
  readonly name?: string | undefined
}

/**
 * Sign-in with any OpenID Connect provider that has a discovery document.
 *
 * Scopes: `openid profile email` (default). If the provider returns claims from its userinfo endpoint only, set
 * `idToken: false`. Register the callback URL `<origin>/auth/callback/<id>`.
 * @example OpenIDConnect({ id: "harbour", name: "Harbour", issuer: "https://id.harbour.example", clientId, clientSecret })
 * @see https://openid.net/specs/openid-connect-core-1_0.html
 */
export function OpenIDConnect<P = Profile>(options: OpenIDConnectOptions<P>): OIDCConfig<P> {
  const { id, name = id, issuer } = options
  return { id, name, type: "oidc", issuer, style: { mark }, options }
}

const mark =
  "M14.54.889l-3.63 1.773v18.17c-4.15-.52-7.27-2.78-7.27-5.5 0-2.58 2.8-4.75 6.63-5.41v-2.31C4.42 8.322 0 11.502 0 15.332c0 3.96 4.74 7.24 10.91 7.78l3.63-1.71V.888m.64 6.724v2.31c1.43.25 2.71.7 3.76 1.31l-1.97 1.11 7.03 1.53-.5-5.21-1.87 1.06c-1.74-1.06-3.96-1.81-6.45-2.11z"

export default OpenIDConnect
