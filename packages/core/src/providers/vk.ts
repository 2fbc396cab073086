// Imported as `@latchkey/core/providers/vk`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { joinName } from "./_shared/profile.js"
import { assertSuccess, requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the VK API.
 * @see https://id.vk.com/about/business/go/docs/ru/vkid/latest/vk-id/connection/api-description
 */
export interface VKProfile {
  readonly user: {
    readonly user_id: string | number
    readonly first_name?: string
    readonly last_name?: string
    readonly email?: string
    readonly avatar?: string
  }
  readonly [field: string]: AnyValue
}

/** The documentation shows the same paths on `id.vk.com` as well. */
const host = "https://id.vk.ru"

/**
 * VK ID sign-in (OAuth 2.1).
 *
 * Scope: `email`, for the email address, which may be missing; VK does not report whether it is verified. Register
 * the redirect URL `<origin>/auth/callback/vk`.
 * @see https://id.vk.com/about/business/go/docs/ru/vkid/latest/vk-id/connection/api-description
 */
export function VK(options: OAuthUserConfig<VKProfile> = {}): OAuth2Config<VKProfile> {
  return {
    id: "vk",
    name: "VK",
    type: "oauth",
    authorization: `${host}/authorize?scope=email`,
    token: {
      url: `${host}/oauth2/auth`,
      // The callback contains the ID of the device that the code and the refresh token are issued for.
      keptParams: ["device_id"],
      request: ({ url, headers, params, callback, provider }) => {
        params.set("device_id", callback.get("device_id") ?? "")
        return provider.fetch(url, { method: "POST", headers, body: params })
      },
    },
    userinfo: { url: `${host}/oauth2/user_info`, request: requestUser },
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["pkce", "state"],
    profile: ({ user }) => ({
      id: user.user_id.toString(),
      name: joinName(user.first_name, user.last_name),
      email: user.email ?? null,
      image: user.avatar ?? null,
    }),
    style: { brandColor: "#0077FF", mark },
    options,
  }
}

async function requestUser(context: UserinfoRequestContext): Promise<Profile> {
  const { provider, tokens } = context
  const body = new URLSearchParams({
    client_id: String(provider.clientId),
    access_token: String(tokens.access_token),
  })
  const response = await requestProfile(context, { method: "POST", body, token: "none" })
  assertSuccess(!("error" in response) && "user" in response, context)
  return response
}

const mark =
  "m9.489.004.729-.003h3.564l.73.003.914.01.433.007.418.011.403.014.388.016.374.021.36.025.345.03.333.033c1.74.196 2.933.616 3.833 1.516.9.9 1.32 2.092 1.516 3.833l.034.333.029.346.025.36.02.373.025.588.012.41.013.644.009.915.004.98-.001 3.313-.003.73-.01.914-.007.433-.011.418-.014.403-.016.388-.021.374-.025.36-.03.345-.033.333c-.196 1.74-.616 2.933-1.516 3.833-.9.9-2.092 1.32-3.833 1.516l-.333.034-.346.029-.36.025-.373.02-.588.025-.41.012-.644.013-.915.009-.98.004-3.313-.001-.73-.003-.914-.01-.433-.007-.418-.011-.403-.014-.388-.016-.374-.021-.36-.025-.345-.03-.333-.033c-1.74-.196-2.933-.616-3.833-1.516-.9-.9-1.32-2.092-1.516-3.833l-.034-.333-.029-.346-.025-.36-.02-.373-.025-.588-.012-.41-.013-.644-.009-.915-.004-.98.001-3.313.003-.73.01-.914.007-.433.011-.418.014-.403.016-.388.021-.374.025-.36.03-.345.033-.333c.196-1.74.616-2.933 1.516-3.833.9-.9 2.092-1.32 3.833-1.516l.333-.034.346-.029.36-.025.373-.02.588-.025.41-.012.644-.013.915-.009ZM6.79 7.3H4.05c.13 6.24 3.25 9.99 8.72 9.99h.31v-3.57c2.01.2 3.53 1.67 4.14 3.57h2.84c-.78-2.84-2.83-4.41-4.11-5.01 1.28-.74 3.08-2.54 3.51-4.98h-2.58c-.56 1.98-2.22 3.78-3.8 3.95V7.3H10.5v6.92c-1.6-.4-3.62-2.34-3.71-6.92Z"

export default VK
