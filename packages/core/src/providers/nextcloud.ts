// Imported as `@latchkey/core/providers/nextcloud`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { deriveFromIssuer, issuerUrl } from "./_shared/options.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Nextcloud API.
 * @see https://docs.nextcloud.com/server/latest/developer_manual/client_apis/OCS/ocs-api-overview.html#user-metadata
 */
export interface NextcloudProfile {
  readonly id: string
  readonly displayname?: string
  readonly "display-name"?: string
  readonly email?: string | null
  /** Built from the installation's URL and the ID. */
  readonly avatar?: string
  readonly [field: string]: AnyValue
}

/**
 * Nextcloud sign-in (OAuth 2.0). Requires `issuer`, the installation's URL; without URL rewriting, it ends in
 * `/index.php`.
 *
 * Scopes are ignored: the token has all of the user's permissions. The email address may be missing, and Nextcloud
 * does not report whether it is verified. Register the callback URL `<origin>/auth/callback/nextcloud`.
 * @see https://docs.nextcloud.com/server/latest/admin_manual/configuration_server/oauth2.html
 */
export function Nextcloud(options: OAuthUserConfig<NextcloudProfile> = {}): OAuth2Config<NextcloudProfile> {
  return {
    id: "nextcloud",
    name: "Nextcloud",
    type: "oauth",
    derive: deriveFromIssuer((base) => ({
      authorization: `${base}/apps/oauth2/authorize`,
      token: `${base}/apps/oauth2/api/v1/token`,
      userinfo: {
        // Returns the token's user. The path with an ID would need the ID from the token response.
        url: `${base.replace(/\/index\.php$/, "")}/ocs/v2.php/cloud/user?format=json`,
        request: (context) => requestUser(base, context),
      },
    })),
    optionRules: { issuer: issuerUrl("https://cloud.example.com") },
    profile: (profile) => ({
      id: profile.id,
      name: profile.displayname ?? profile["display-name"] ?? null,
      email: profile.email ?? null,
      image: profile.avatar ?? null,
    }),
    style: { brandColor: "#0082C9", mark },
    options,
  }
}

interface OcsResponse {
  readonly ocs?: { readonly data?: { readonly id?: string } }
}

async function requestUser(base: string, context: UserinfoRequestContext): Promise<Profile> {
  // Without this header, Nextcloud rejects the request as forged.
  const response = await requestProfile(context, { headers: { "ocs-apirequest": "true" } })
  const { ocs } = response as OcsResponse // Validated in the next lines.
  const user = ocs?.data
  assertSuccess(typeof user?.id === "string", context)
  return { ...user, avatar: `${base}/avatar/${encodeURIComponent(String(user?.id))}/512` }
}

const mark =
  "M12.018 6.537c-2.5 0-4.6 1.712-5.241 4.015-.56-1.232-1.793-2.105-3.225-2.105A3.569 3.569 0 0 0 0 12a3.569 3.569 0 0 0 3.552 3.553c1.432 0 2.664-.874 3.224-2.106.641 2.304 2.742 4.016 5.242 4.016 2.487 0 4.576-1.693 5.231-3.977.569 1.21 1.783 2.067 3.198 2.067A3.568 3.568 0 0 0 24 12a3.569 3.569 0 0 0-3.553-3.553c-1.416 0-2.63.858-3.199 2.067-.654-2.284-2.743-3.978-5.23-3.977zm0 2.085c1.878 0 3.378 1.5 3.378 3.378 0 1.878-1.5 3.378-3.378 3.378A3.362 3.362 0 0 1 8.641 12c0-1.878 1.5-3.378 3.377-3.378zm-8.466 1.91c.822 0 1.467.645 1.467 1.468s-.644 1.467-1.467 1.468A1.452 1.452 0 0 1 2.085 12c0-.823.644-1.467 1.467-1.467zm16.895 0c.823 0 1.468.645 1.468 1.468s-.645 1.468-1.468 1.468A1.452 1.452 0 0 1 18.98 12c0-.823.644-1.467 1.467-1.467z"

export default Nextcloud
