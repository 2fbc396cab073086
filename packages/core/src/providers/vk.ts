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
  "M9.49 0h5.02l.92.01.43.01.42.01.4.02.39.01.37.02.36.03.35.03.33.03c1.74.2 2.93.62 3.83 1.52s1.32 2.09 1.52 3.83l.03.33.03.35.03.36.02.37.02.59.01.41.02.64v.92l.01.98v4.04l-.01.92-.01.43-.01.42-.02.4-.01.39-.02.37-.03.36-.03.35-.03.33c-.2 1.74-.62 2.93-1.52 3.83s-2.09 1.32-3.83 1.52l-.33.03-.35.03-.36.03-.37.02-.59.02-.41.01-.64.02h-.92l-.98.01H9.5l-.92-.01-.43-.01-.42-.01-.4-.02-.39-.01-.37-.02-.36-.03-.35-.03-.33-.03c-1.74-.2-2.93-.62-3.83-1.52S.37 20.22.17 18.48l-.03-.33-.03-.35-.03-.36-.02-.37-.02-.59-.01-.41-.02-.64v-.92L0 13.53V9.5l.01-.92.01-.43.01-.42.02-.4.01-.39.02-.37.03-.36.03-.35.03-.33C.37 3.78.8 2.59 1.7 1.69S3.78.37 5.52.17l.33-.03L6.2.1l.36-.03.37-.02.59-.02.41-.01.64-.02zm-2.7 7.3H4.05c.13 6.24 3.25 9.99 8.72 9.99h.31v-3.57a4.9 4.9 0 0 1 4.14 3.57h2.84a8 8 0 0 0-4.11-5.01 7.6 7.6 0 0 0 3.51-4.98h-2.58c-.56 1.98-2.22 3.78-3.8 3.95V7.3H10.5v6.92c-1.6-.4-3.62-2.34-3.71-6.92"

export default VK
