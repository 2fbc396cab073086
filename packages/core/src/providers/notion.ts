// Imported as `@latchkey/core/providers/notion`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { assertSuccess, postJson, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Notion API.
 * @see https://developers.notion.com/reference/user
 */
export interface NotionProfile {
  readonly id: string
  readonly name?: string | null
  readonly avatar_url?: string | null
  readonly person?: { readonly email?: string }
  readonly [field: string]: AnyValue
}

/** Options of the Notion provider. */
export interface NotionOptions extends OAuthUserConfig<NotionProfile> {
  /** The callback URL as it is registered at Notion. Default: that of the request's origin. */
  readonly redirectUri?: string | undefined
}

const version = "2025-09-03"

/**
 * Notion sign-in (OAuth 2.0), with a public integration that may read user information including email addresses.
 *
 * Scopes are ignored; users select the pages that they share. The email address and image may be missing, and Notion
 * does not report whether the address is verified. Register the callback URL `<origin>/auth/callback/notion`.
 * @see https://developers.notion.com/docs/authorization
 */
export function Notion(options: NotionOptions = {}): OAuth2Config<NotionProfile> {
  const { redirectUri } = options
  return {
    id: "notion",
    name: "Notion",
    type: "oauth",
    authorization: {
      url: "https://api.notion.com/v1/oauth/authorize",
      params: { owner: "user" },
      request: ({ url }) => {
        if (redirectUri !== undefined) url.searchParams.set("redirect_uri", redirectUri)
        return url
      },
    },
    token: {
      url: "https://api.notion.com/v1/oauth/token",
      request: ({ url, headers, params, provider }) => {
        headers.set("notion-version", version)
        // Notion compares it with the one of the authorization request.
        if (redirectUri !== undefined && params.has("redirect_uri")) params.set("redirect_uri", redirectUri)
        return postJson(provider.fetch, { url, headers, fields: Object.fromEntries(params) })
      },
    },
    revocation: {
      url: "https://api.notion.com/v1/oauth/revoke",
      request({ url, headers, params, provider }) {
        headers.set("notion-version", version)
        return postJson(provider.fetch, { url, headers, fields: { token: params.get("token") } })
      },
    },
    userinfo: { url: "https://api.notion.com/v1/users/me", request: requestOwner },
    // PKCE is not supported.
    checks: ["state"],
    profile: ({ id, name, avatar_url, person }) => ({
      id,
      name: name ?? null,
      email: person?.email ?? null,
      image: avatar_url ?? null,
    }),
    style: { brandColor: "#000", mark },
    options,
  }
}

interface BotResponse {
  readonly bot?: { readonly owner?: { readonly user?: NotionProfile } }
}

/** The token belongs to a bot, and the bot to the user who signed in. */
async function requestOwner(context: UserinfoRequestContext): Promise<Profile> {
  const response = await requestProfile(context, { headers: { "notion-version": version } })
  const { bot } = response as BotResponse // Validated in the next line.
  assertSuccess(typeof bot?.owner?.user?.id === "string", context)
  return { ...bot?.owner?.user }
}

const mark =
  "M4.459 4.208c.746.606 1.026.56 2.428.466l13.215-.793c.28 0 .047-.28-.046-.326L17.86 1.968c-.42-.326-.981-.7-2.055-.607L3.01 2.295c-.466.046-.56.28-.374.466zm.793 3.08v13.904c0 .747.373 1.027 1.214.98l14.523-.84c.841-.046.935-.56.935-1.167V6.354c0-.606-.233-.933-.748-.887l-15.177.887c-.56.047-.747.327-.747.933zm14.337.745c.093.42 0 .84-.42.888l-.7.14v10.264c-.608.327-1.168.514-1.635.514-.748 0-.935-.234-1.495-.933l-4.577-7.186v6.952L12.21 19s0 .84-1.168.84l-3.222.186c-.093-.186 0-.653.327-.746l.84-.233V9.854L7.822 9.76c-.094-.42.14-1.026.793-1.073l3.456-.233 4.764 7.279v-6.44l-1.215-.139c-.093-.514.28-.887.747-.933zM1.936 1.035l13.31-.98c1.634-.14 2.055-.047 3.082.7l4.249 2.986c.7.513.934.653.934 1.213v16.378c0 1.026-.373 1.634-1.68 1.726l-15.458.934c-.98.047-1.448-.093-1.962-.747l-3.129-4.06c-.56-.747-.793-1.306-.793-1.96V2.667c0-.839.374-1.54 1.447-1.632z"

export default Notion
