// Imported as `@latchkey/core/providers/linear`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { assertSuccess, requestGraphQL } from "./_shared/request.js"

/**
 * A user as returned by the Linear API.
 * @see https://linear.app/developers/graphql
 */
export interface LinearProfile {
  readonly data: {
    readonly viewer: {
      readonly id: string
      readonly name: string
      readonly email?: string
      readonly avatarUrl?: string | null
    }
  }
  readonly [field: string]: AnyValue
}

/**
 * Linear sign-in (OAuth 2.0).
 *
 * Scope: `read`, the smallest one; separate several scopes with commas. The image may be missing. Register the
 * callback URL `<origin>/auth/callback/linear`.
 * @see https://linear.app/developers/oauth-2-0-authentication
 */
export function Linear(options: OAuthUserConfig<LinearProfile> = {}): OAuth2Config<LinearProfile> {
  return {
    id: "linear",
    name: "Linear",
    type: "oauth",
    authorization: { url: "https://linear.app/oauth/authorize", params: { scope: "read" } },
    token: "https://api.linear.app/oauth/token",
    userinfo: { url: "https://api.linear.app/graphql", request: requestViewer },
    client: { token_endpoint_auth_method: "client_secret_post" },
    checks: ["pkce", "state"],
    profile: ({ data: { viewer } }) => ({
      id: viewer.id,
      name: viewer.name,
      email: viewer.email ?? null,
      image: viewer.avatarUrl ?? null,
    }),
    style: { brandColor: "#5E6AD2", mark },
    options,
  }
}

/** The GraphQL endpoint is the only source of the profile. It reports failures with status 200. */
async function requestViewer(context: UserinfoRequestContext): Promise<Profile> {
  const response: Profile & { readonly data?: { readonly viewer?: unknown } } = await requestGraphQL(
    context,
    "{ viewer { id name email avatarUrl } }",
  )
  assertSuccess(Boolean(response.data?.viewer), context)
  return response
}

const mark =
  "M2.886 4.18A11.982 11.982 0 0 1 11.99 0C18.624 0 24 5.376 24 12.009c0 3.64-1.62 6.903-4.18 9.105L2.887 4.18ZM1.817 5.626l16.556 16.556c-.524.33-1.075.62-1.65.866L.951 7.277c.247-.575.537-1.126.866-1.65ZM.322 9.163l14.515 14.515c-.71.172-1.443.282-2.195.322L0 11.358a12 12 0 0 1 .322-2.195Zm-.17 4.862 9.823 9.824a12.02 12.02 0 0 1-9.824-9.824Z"

export default Linear
