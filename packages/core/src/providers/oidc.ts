// Imported as `@latchkey/core/providers/oidc`.
import type { OIDCConfig, OIDCUserConfig } from "../contract/oauth-provider.js"
import type { Profile } from "../contract/profile.js"

export interface OpenIDConnectOptions<P = Profile> extends OIDCUserConfig<P> {
  /** Part of the callback URL: letters, digits and hyphens. */
  readonly id: string
  readonly issuer: string
  /** Default: the id. */
  readonly name?: string
}

/**
 * Sign-in with any OpenID Connect provider whose discovery document stands below its issuer.
 *
 * Scopes: `openid profile email`, the default. Claims that the provider puts at its userinfo endpoint only are read with
 * `idToken: false`. Register the callback URL `<origin>/auth/callback/<id>`.
 * @example OpenIDConnect({ id: "harbour", name: "Harbour", issuer: "https://id.harbour.example", clientId, clientSecret })
 * @see https://openid.net/specs/openid-connect-core-1_0.html
 */
export function OpenIDConnect<P = Profile>(options: OpenIDConnectOptions<P>): OIDCConfig<P> {
  return { id: options.id, name: options.name ?? options.id, type: "oidc", issuer: options.issuer, options }
}

export default OpenIDConnect
