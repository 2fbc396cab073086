// Imported as `@latchkey/core/providers/vercel`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Vercel, from the ID token or the userinfo endpoint.
 * @see https://vercel.com/docs/sign-in-with-vercel
 */
export type VercelProfile = StandardClaims

/**
 * Sign in with Vercel (OpenID Connect).
 *
 * Scopes: `openid profile email`. Vercel drops scopes that are not enabled for the app, so the email address may be
 * missing. If the app is registered for `client_secret_post` or `none`, set that in `client`. Register the callback
 * URL `<origin>/auth/callback/vercel`.
 * @see https://vercel.com/docs/sign-in-with-vercel
 */
export function Vercel(options: OIDCUserConfig<VercelProfile> = {}): OIDCConfig<VercelProfile> {
  return {
    id: "vercel",
    name: "Vercel",
    type: "oidc",
    issuer: "https://vercel.com",
    authorization: { params: { scope: "openid profile email" } },
    checks: ["pkce", "state"],
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark = "m12 1.608 12 20.784H0Z"

export default Vercel
