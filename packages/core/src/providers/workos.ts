// Imported as `@latchkey/core/providers/workos`.

import type { AnyValue } from "@latchkey/types"
import type { AuthorizationRequestContext, OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { issuerUrl, optional, required, trimSlashes } from "./_shared/options.js"
import { joinName } from "./_shared/profile.js"
import { conformFields, withTokenType } from "./_shared/request.js"

/**
 * A user as returned by the WorkOS API.
 * @see https://workos.com/docs/reference/sso/profile
 */
export interface WorkOSProfile {
  readonly id: string
  readonly email?: string
  readonly first_name?: string | null
  readonly last_name?: string | null
  readonly name?: string | null
  /** The identity provider's own attributes. */
  readonly raw_attributes?: { readonly picture?: string }
  readonly [field: string]: AnyValue
}

/** Options of the WorkOS provider. */
export interface WorkOSOptions extends OAuthUserConfig<WorkOSProfile> {
  /** ID of the connection that signs users in. Default: the sign-in request selects it. */
  readonly connection?: string | undefined
}

/**
 * WorkOS single sign-on (OAuth 2.0). The client secret is the API key.
 *
 * One of `connection`, `organization` and `provider` selects the identity provider: set the option `connection`, set
 * another one in `authorization: { params: { organization } }`, or pass one with each sign-in request. Scopes: `openid
 * profile email` (default). Name and image may be missing. Register the redirect URI `<origin>/auth/callback/workos`.
 * @see https://workos.com/docs/reference/sso
 */
export function WorkOS(options: WorkOSOptions = {}): OAuth2Config<WorkOSProfile> {
  const { connection } = options
  return {
    id: "workos",
    name: "WorkOS",
    type: "oauth",
    derive: ({ issuer }) => {
      const base = trimSlashes(issuer ?? "https://api.workos.com")
      return {
        authorization: { url: `${base}/sso/authorize`, params: { connection }, request: withoutEmpty },
        token: { url: `${base}/sso/token`, conform: conformFields(withTokenType) },
        userinfo: `${base}/sso/profile`,
      }
    },
    client: { token_endpoint_auth_method: "client_secret_post" },
    optionRules: {
      issuer: optional(issuerUrl("https://auth.harbour.example")),
      connection: optional(required("must be the ID of a connection")),
    },
    profile: ({ id, email, first_name, last_name, name, raw_attributes }) => ({
      id,
      name: joinName(first_name, last_name) ?? name ?? null,
      email: email ?? null,
      image: raw_attributes?.picture ?? null,
    }),
    style: { brandColor: "#6363f1", mark },
    options,
  }
}

/** WorkOS accepts exactly one of these, and an empty one counts. */
function withoutEmpty({ url }: AuthorizationRequestContext): URL {
  for (const name of ["connection", "organization", "provider"]) {
    if (url.searchParams.get(name) === "") url.searchParams.delete(name)
  }
  return url
}

const mark =
  "M13.98 1.6a4 4 0 0 0-1.14 1.2l-.06.1-1.01 1.76-4.23 7.33 4 6.93-1.01 1.76a3.41 3.41 0 0 1-5.93-.02l-.04-.07-4.2-7.3Q0 12.7 0 12a2.6 2.6 0 0 1 .31-1.22l.04-.08 4.33-7.5a3.2 3.2 0 0 1 2.7-1.6h.07Zm1.34.18c1.52-.52 3.2.1 4.03 1.46l.03.07 4.27 7.38a2.6 2.6 0 0 1 .04 2.53l-.04.08-4.33 7.5a3.2 3.2 0 0 1-2.7 1.6h-6.6q.68-.5 1.14-1.21l.06-.1 1.01-1.76 4.23-7.34-4-6.93.96-1.66a3.6 3.6 0 0 1 1.9-1.62"

export default WorkOS
