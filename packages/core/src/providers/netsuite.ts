// Imported as `@latchkey/core/providers/netsuite`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig } from "../types/oauth-provider.js"
import { matching } from "./_shared/options.js"

/**
 * A user as returned by the NetSuite API.
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158074210415.html
 */
export interface NetSuiteProfile {
  readonly id: string | number
  readonly name?: string
  readonly email?: string
  readonly [field: string]: AnyValue
}

/** Options of the NetSuite provider. */
export interface NetSuiteOptions extends OAuthUserConfig<NetSuiteProfile> {
  /** Such as `1234567`, or `1234567_SB1` for a sandbox. Required. */
  readonly accountID?: string | undefined
}

/**
 * NetSuite sign-in (OAuth 2.0). Requires `accountID`, and as `userinfo` the URL of your own RESTlet, because NetSuite
 * has no profile endpoint. The RESTlet returns `id`, `name` and `email`.
 *
 * Scopes: `restlets rest_webservices`, for that RESTlet. There is no image. Register the callback URL
 * `<origin>/auth/callback/netsuite`.
 * @see https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158074210415.html
 */
export function NetSuite(options: NetSuiteOptions = {}): OAuth2Config<NetSuiteProfile> {
  const host = options.accountID?.toLowerCase().replaceAll("_", "-")
  return {
    id: "netsuite",
    name: "NetSuite",
    type: "oauth",
    authorization: {
      url: `https://${host}.app.netsuite.com/app/login/oauth2/authorize.nl`,
      params: { scope: "restlets rest_webservices" },
    },
    token: `https://${host}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token`,
    checks: ["state"],
    // It becomes part of the host that receives the secret.
    optionRules: { accountID: matching(/^[\w-]+$/, "must be an account ID such as 1234567 or 1234567_SB1") },
    profile: ({ id, name, email }) => ({ id: String(id), name: name ?? null, email: email ?? null, image: null }),
    style: { brandColor: "#c74634", mark },
    options,
  }
}

const mark =
  "M16.41 4.41H7.6a7.59 7.59 0 0 0 0 15.18h8.82a7.59 7.59 0 0 0 0-15.18m-.2 12.5H7.8a4.92 4.92 0 0 1 0-9.82h8.43a4.91 4.91 0 1 1 0 9.82"

export default NetSuite
