// Imported as `@latchkey/core/providers/clerk`.

import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { issuerUrl } from "./_shared/options.js"
import type { StandardClaims } from "./_shared/profile.js"

/**
 * User claims of Clerk, from the ID token or the userinfo endpoint.
 * @see https://clerk.com/docs/advanced-usage/clerk-idp
 */
export type ClerkProfile = StandardClaims

/**
 * Clerk sign-in (OpenID Connect). Requires `issuer`, the Frontend API URL of the instance.
 *
 * Scopes: `openid profile email`. Clerk documents the name and image only for the userinfo endpoint, so the profile
 * comes from there. Register the redirect URI `<origin>/auth/callback/clerk`.
 * @see https://clerk.com/docs/advanced-usage/clerk-idp
 */
export function Clerk(options: OIDCUserConfig<ClerkProfile> = {}): OIDCConfig<ClerkProfile> {
  return {
    id: "clerk",
    name: "Clerk",
    type: "oidc",
    optionRules: { issuer: issuerUrl("https://clerk.example.com") },
    authorization: { params: { scope: "openid profile email" } },
    idToken: false,
    checks: ["pkce", "state"],
    style: { brandColor: "#6C47FF", mark },
    options,
  }
}

const mark =
  "m21.47 20.829-2.881-2.881a.572.572 0 0 0-.7-.084 6.854 6.854 0 0 1-7.081 0 .576.576 0 0 0-.7.084l-2.881 2.881a.576.576 0 0 0-.103.69.57.57 0 0 0 .166.186 12 12 0 0 0 14.113 0 .58.58 0 0 0 .239-.423.576.576 0 0 0-.172-.453Zm.002-17.668-2.88 2.88a.569.569 0 0 1-.701.084A6.857 6.857 0 0 0 8.724 8.08a6.862 6.862 0 0 0-1.222 3.692 6.86 6.86 0 0 0 .978 3.764.573.573 0 0 1-.083.699l-2.881 2.88a.567.567 0 0 1-.864-.063A11.993 11.993 0 0 1 6.771 2.7a11.99 11.99 0 0 1 14.637-.405.566.566 0 0 1 .232.418.57.57 0 0 1-.168.448Zm-7.118 12.261a3.427 3.427 0 1 0 0-6.854 3.427 3.427 0 0 0 0 6.854Z"

export default Clerk
