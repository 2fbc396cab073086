// Imported as `@latchkey/core/providers/xero`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { joinName } from "./_shared/profile.js"

/**
 * User claims of Xero, from the ID token or the userinfo endpoint.
 * @see https://developer.xero.com/documentation/guides/oauth2/sign-in
 */
export interface XeroProfile {
  readonly sub: string
  readonly given_name?: string
  readonly family_name?: string
  readonly email?: string
  /** The user's ID across Xero. */
  readonly xero_userid?: string
  readonly [claim: string]: AnyValue
}

/**
 * Sign in with Xero (OpenID Connect).
 *
 * Scopes: `openid profile email`; an accounting scope would require users to connect an organization. There is no
 * image. Register the redirect URI `<origin>/auth/callback/xero` for an app of the type "web app".
 * @see https://developer.xero.com/documentation/guides/oauth2/sign-in
 */
export function Xero(options: OIDCUserConfig<XeroProfile> = {}): OIDCConfig<XeroProfile> {
  return {
    id: "xero",
    name: "Xero",
    type: "oidc",
    issuer: "https://identity.xero.com",
    authorization: { params: { scope: "openid profile email" } },
    checks: ["state", "nonce"],
    profile: ({ sub, given_name, family_name, email }) => ({
      id: sub,
      name: joinName(given_name, family_name),
      email: email ?? null,
      image: null,
    }),
    style: { brandColor: "#13B5EA", mark },
    options,
  }
}

const mark =
  "M12 0a12 12 0 1 0 0 24 12 12 0 0 0 0-24m6.59 14.66a2.7 2.7 0 1 1 0-5.39 2.7 2.7 0 0 1 0 5.38m-11.06-.02q-.16 0-.27-.11l-2.04-2.04-2.05 2.04a.37.37 0 1 1-.52-.52l2.04-2.05L2.66 9.9a.4.4 0 0 1-.12-.26.37.37 0 0 1 .63-.26l2.05 2.05L7.27 9.4q.1-.1.26-.11c.21 0 .38.16.38.36q0 .16-.1.26l-2.06 2.06 2.05 2.05q.1.1.1.26c0 .2-.16.36-.36.36zm8.02-4.59c-.8.1-.89.48-.89 1.4v2.8a.37.37 0 0 1-.73 0V9.7a.36.36 0 0 1 .71-.07q.42-.32.93-.32h.1c.2 0 .36.16.36.37s-.16.35-.37.36h-.17zm-3.1 2.2H8.64v.07l.08.3c.2.54.77 1.28 1.83 1.3q.5-.02.9-.23a2 2 0 0 0 .53-.43q.07-.08.12-.17c.18-.23.4-.19.54-.08.16.13.18.39.04.57l-.01.01q-.31.41-.7.66t-.8.35q-.49.13-.98.06a2.69 2.69 0 1 1 1.76-4.94c.63.4 1.03 1.02 1.18 1.77.08.42-.2.8-.73.81zm6.14-2.21a1.93 1.93 0 1 0 0 3.86 1.93 1.93 0 0 0 0-3.87m0 2.59a.67.67 0 1 1 0-1.33.67.67 0 0 1 0 1.33m-8.04-2.6c-.91 0-1.68.62-1.9 1.46v.03h3.79c-.2-.85-.98-1.5-1.9-1.5"

export default Xero
