// Imported as `@latchkey/core/providers/webex`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { issuerUrl, optional, trimSlashes } from "./_shared/options.js"

/**
 * A user as returned by the Webex API.
 * @see https://developer.webex.com/docs/api/v1/people/get-my-own-details
 */
export interface WebexProfile {
  readonly id: string
  readonly displayName?: string
  readonly emails?: readonly string[]
  readonly avatar?: string
  readonly [field: string]: AnyValue
}

/** Options of the Webex provider. */
export interface WebexOptions extends OAuthUserConfig<WebexProfile> {
  /** Default: `https://webexapis.com/v1`. */
  readonly apiBaseUrl?: string | undefined
}

/**
 * Webex sign-in (OAuth 2.0).
 *
 * Scopes: `spark:people_read` for the user's profile, and `spark:kms`, which all others require. The image may be
 * missing. Register the redirect URI `<origin>/auth/callback/webex`.
 * @see https://developer.webex.com/docs/integrations
 */
export function Webex(options: WebexOptions = {}): OAuth2Config<WebexProfile> {
  const base = trimSlashes(options.apiBaseUrl ?? "https://webexapis.com/v1")
  return {
    id: "webex",
    name: "Webex",
    type: "oauth",
    authorization: { url: `${base}/authorize`, params: { scope: "spark:kms spark:people_read" } },
    token: `${base}/access_token`,
    userinfo: `${base}/people/me`,
    optionRules: { apiBaseUrl: optional(issuerUrl("https://webexapis.com/v1")) },
    profile: ({ id, displayName, emails, avatar }) => ({
      id,
      name: displayName ?? null,
      email: emails?.[0] ?? null,
      image: avatar ?? null,
    }),
    style: { brandColor: "#000", mark },
    options,
  }
}

const mark =
  "M21.8 7.4c.5 1.2 0 2.6-1.1 3-2.2 1-3-1.2-3-1.2-.3-.6-.8-1.5-1.4-1.5-.2 0-.5 0-.9.8l-.6 1.9-.1.3c-.4-1.6-.8-3.5-1.5-4.8l-.7-1.1a5 5 0 0 1 1.7-1.3 5 5 0 0 1 2.1-.5c1 0 2.8.3 4.3 2.2l.4.7.7 1.4M0 8.4c0-1.3.8-2.6 2-2.6C3.7 5.6 4.3 7 4.4 7.6v.2l.5 2.7.4 1.4v.2l1 2.8q.8 1.4 1.4 1.4c.2 0 .5 0 1-.9l.6-1.8q.5 2.4 1.5 4.4l.7 1.2a5 5 0 0 1-1.7 1.3 5 5 0 0 1-2.1.5c-1.6 0-3.8-.7-5.4-4l-1-2.8-.7-2.7-.3-1.1zm22-2.6.5 1.1v.2q.6 1.1.1 2.4a3 3 0 0 1-1.5 1.7l-1.2.3-.9-.2-1.2 3.6q-.7 1.3-1.4 1.4c-.2 0-.5 0-1-.9l-.6-1.8-.4-1.6-.1-.6q-.6-2.8-1.7-5.1l-1-1.5a5 5 0 0 0-1.7-1.3A5 5 0 0 0 7.7 3c-1 0-2.8.3-4.3 2.2q.8.4 1.2 1 .5.7.6 1.5l.4 2.7.1.3.4-1 .1-.2.1-.3c.3-.6.8-1.5 1.4-1.5.2 0 .5 0 .9.8l.7 2 .4 1.5.1.5a22 22 0 0 0 2.2 6l.5.7a5 5 0 0 0 3.8 1.8c1.6 0 3.8-.7 5.4-4a27 27 0 0 0 2.2-9.5q0-.5-.4-.8L23 6z"

export default Webex
