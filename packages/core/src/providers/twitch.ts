// Imported as `@latchkey/core/providers/twitch`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { conformFields, withScopeString } from "./_shared/request.js"

/**
 * User claims of Twitch, from the ID token or the userinfo endpoint.
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/
 */
export interface TwitchProfile {
  readonly sub: string
  readonly preferred_username?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Twitch sign-in (OpenID Connect).
 *
 * Scopes: `openid user:read:email`, the latter for the email address. The parameter `claims` requests the contents of
 * the ID token. The email address may be missing. Register the redirect URL `<origin>/auth/callback/twitch`.
 * @see https://dev.twitch.tv/docs/authentication/getting-tokens-oidc/
 */
export function Twitch(options: OIDCUserConfig<TwitchProfile> = {}): OIDCConfig<TwitchProfile> {
  return {
    id: "twitch",
    name: "Twitch",
    type: "oidc",
    issuer: "https://id.twitch.tv/oauth2",
    authorization: {
      params: {
        scope: "openid user:read:email",
        claims: { id_token: { email: null, email_verified: null, picture: null, preferred_username: null } },
      },
    },
    token: { conform: conformTwitch },
    client: { token_endpoint_auth_method: "client_secret_post" },
    style: { brandColor: "#65459B", mark },
    options,
  }
}

const conformScopes = conformFields(withScopeString)

/** Scopes are a list, and errors are in `message`. */
async function conformTwitch(response: Response): Promise<Response> {
  if (response.ok) return conformScopes(response)
  const body: unknown = await response.json().catch(() => null)
  const { message = "refused" }: { readonly message?: unknown } = Object(body)
  return Response.json({ error: String(message).toLowerCase().replace(/\W+/g, "_") }, { status: 400 })
}

const mark =
  "M11.571 4.714h1.715v5.143H11.57zm4.715 0H18v5.143h-1.714zM6 0L1.714 4.286v15.428h5.143V24l4.286-4.286h3.428L22.286 12V0zm14.571 11.143l-3.428 3.428h-3.429l-3 3v-3H6.857V1.714h13.714Z"

export default Twitch
