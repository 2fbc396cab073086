// Imported as `@latchkey/core/providers/wikimedia`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { requestsNaming } from "./_shared/user-agent.js"

/**
 * A user as returned by the Wikimedia API.
 * @see https://www.mediawiki.org/wiki/Extension:OAuth
 */
export interface WikimediaProfile {
  readonly sub: string | number
  readonly username?: string
  /** Empty until it is confirmed. */
  readonly email?: string
  readonly blocked?: boolean
  readonly [field: string]: AnyValue
}

/**
 * A user agent without a contact is limited, and may be blocked. The page of the app's registration names its owner.
 * @see https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy
 */
const requests = requestsNaming(
  (clientId) => `latchkey/1 (https://meta.wikimedia.org/wiki/Special:OAuthListConsumers/view/${clientId})`,
)

/**
 * Wikimedia sign-in (OAuth 2.0), with an account of Wikipedia and its sister projects.
 *
 * There are no scopes; the app's registration determines the profile's contents. The email address requires the grant
 * "private identity", and is null until it is confirmed. There is no image. Register the callback URL
 * `<origin>/auth/callback/wikimedia`.
 * @see https://www.mediawiki.org/wiki/Extension:OAuth
 */
export function Wikimedia(options: OAuthUserConfig<WikimediaProfile> = {}): OAuth2Config<WikimediaProfile> {
  return {
    id: "wikimedia",
    name: "Wikimedia",
    type: "oauth",
    // An empty scope is not sent.
    authorization: "https://meta.wikimedia.org/w/rest.php/oauth2/authorize?scope=",
    token: { url: "https://meta.wikimedia.org/w/rest.php/oauth2/access_token", request: requests.token },
    userinfo: { url: "https://meta.wikimedia.org/w/rest.php/oauth2/resource/profile", request: requests.userinfo },
    profile: ({ sub, username, email, blocked }) => {
      if (blocked && !username) throw new TypeError("The Wikimedia account is blocked and hidden")
      return { id: sub.toString(), name: username ?? null, email: email || null, image: null }
    },
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M20.074 3.126C22.486 5.321 24 8.485 24 12c0 6.623-5.377 12-12 12S0 18.623 0 12c0-3.515 1.514-6.679 3.926-8.874l2.265 2.265C4.358 7.005 3.2 9.368 3.2 12c0 4.857 3.943 8.8 8.8 8.8s8.8-3.943 8.8-8.8c0-2.632-1.158-4.995-2.991-6.609zm-3.399 3.399C18.22 7.846 19.2 9.81 19.2 12c0 3.703-2.802 6.757-6.4 7.156V10.4zM11.2 19.156C7.602 18.757 4.8 15.703 4.8 12c0-2.19.98-4.154 2.525-5.475L11.2 10.4zM12 0c2.208 0 4 1.792 4 4s-1.792 4-4 4-4-1.792-4-4 1.792-4 4-4"

export default Wikimedia
