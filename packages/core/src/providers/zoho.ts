// Imported as `@latchkey/core/providers/zoho`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, TokenRequestContext } from "../types/oauth-provider.js"
import { joinName } from "./_shared/profile.js"
import { conformRefusals } from "./_shared/refusals.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Zoho API.
 * @see https://www.zoho.com/accounts/protocol/oauth.html
 */
export interface ZohoProfile {
  readonly ZUID: string | number
  readonly First_Name?: string
  readonly Last_Name?: string
  readonly Email?: string
  readonly [field: string]: AnyValue
}

/** The account's data center. The host that the callback names is not trusted, because it would receive the secret. */
const hosts: ReadonlyMap<string, string> = new Map([
  ["us", "accounts.zoho.com"],
  ["eu", "accounts.zoho.eu"],
  ["in", "accounts.zoho.in"],
  ["au", "accounts.zoho.com.au"],
  ["jp", "accounts.zoho.jp"],
  ["ca", "accounts.zohocloud.ca"],
  ["sa", "accounts.zoho.sa"],
  ["uk", "accounts.zoho.uk"],
  ["ae", "accounts.zoho.ae"],
  ["cn", "accounts.zoho.com.cn"],
])

/**
 * Zoho sign-in (OAuth 2.0).
 *
 * Scope: `AaaServer.profile.READ`, for the user's profile. There is no image. A refresh token requires the parameter
 * `access_type: "offline"`. Register the redirect URI `<origin>/auth/callback/zoho`, and enable "multi-DC" for users
 * outside the United States.
 * @see https://www.zoho.com/accounts/protocol/oauth.html
 */
export function Zoho(options: OAuthUserConfig<ZohoProfile> = {}): OAuth2Config<ZohoProfile> {
  return {
    id: "zoho",
    name: "Zoho",
    type: "oauth",
    authorization: "https://accounts.zoho.com/oauth/v2/auth?scope=AaaServer.profile.READ",
    token: {
      url: "https://accounts.zoho.com/oauth/v2/token",
      // Tokens are refreshed and revoked where they were issued.
      keptParams: ["location"],
      request: requestAtLocation,
      conform: conformRefusals(({ error }) => error === "invalid_code"),
    },
    revocation: { url: "https://accounts.zoho.com/oauth/v2/token/revoke", request: requestAtLocation },
    userinfo: {
      url: "https://accounts.zoho.com/oauth/user/info",
      request: (context) => requestProfile(context, { url: atLocation(String(context.url), context.callback) }),
    },
    profile: ({ ZUID, First_Name, Last_Name, Email }) => ({
      id: ZUID.toString(),
      name: joinName(First_Name, Last_Name),
      email: Email ?? null,
      image: null,
    }),
    style: { brandColor: "#E42527", mark },
    options,
  }
}

function requestAtLocation({ url, headers, params, callback, provider }: TokenRequestContext): Promise<Response> {
  return provider.fetch(atLocation(url, callback), { method: "POST", headers, body: params })
}

function atLocation(address: string, callback: URLSearchParams): URL {
  const host = hosts.get(callback.get("location") ?? "us")
  if (host === undefined) throw new Error("The location in Zoho's callback is unknown")
  const url = new URL(address)
  url.hostname = host
  return url
}

const mark =
  "M8.66 6.9a1.3 1.3 0 0 0-1.2.76L6.8 9.1l-.06-.38a1.3 1.3 0 0 0-1.48-1.07l-4.18.68A1.3 1.3 0 0 0 .01 9.8l.67 4.18a1.3 1.3 0 0 0 1.27 1.08l.22-.01 4.18-.68c.44-.07.78-.35.96-.72l2.93 1.3a1.3 1.3 0 0 0 1 .03q.49-.2.7-.68l.29-.63.03.28a1.3 1.3 0 0 0 1.46 1.1l3.71-.5a1.3 1.3 0 0 0 1.03.51h4.24a1.3 1.3 0 0 0 1.3-1.28V9.55c0-.72-.58-1.3-1.3-1.3h-4.23q-.11 0-.23.03a1 1 0 0 0-.27-.3q-.43-.31-.96-.25l-4.2.58q-.23.03-.43.14L9.16 7a1 1 0 0 0-.5-.11m-.02.7q.1 0 .23.05l2.98 1.33q-.2.36-.15.78l.36 2.6-.74 1.67a.6.6 0 0 1-.78.3l-3.1-1.4-.01-.03-.41-2.53L8.1 7.95a.6.6 0 0 1 .54-.35m-3.16.74q.19 0 .34.1.19.15.24.39l.23 1.45-.56 1.25a1.3 1.3 0 0 0-.03 1c.12.31.37.57.68.7l.3.14a.6.6 0 0 1-.43.31l-4.19.68a.6.6 0 0 1-.67-.48L.71 9.7a.6.6 0 0 1 .49-.68l4.18-.68zm11.7.09a.6.6 0 0 1 .42.17 1.3 1.3 0 0 0-.42.95v4.33l-3.55.48a.6.6 0 0 1-.66-.5l-.19-1.4.9-2.02a1.3 1.3 0 0 0-.33-1.5l3.75-.51zm1.3.53h4.23c.32 0 .59.26.59.58v4.24a.6.6 0 0 1-.6.59h-4.23l-.12-.01c.47-.25.76-.77.69-1.32zm-5.99.3.26.12c.3.13.43.48.3.78l-.44.97-.2-1.47a.6.6 0 0 1 .08-.4m5.4.54.45 3.33a.6.6 0 0 1-.46.65zm-11.4 1.74.18 1.06a.6.6 0 0 1-.3-.78zm4 4.35a.6.6 0 0 0-.62.6c0 .36.24.61.6.61a.6.6 0 0 0 .6-.6c0-.36-.24-.61-.59-.61m5.54 0a.6.6 0 0 0-.62.6c0 .36.25.61.6.61a.6.6 0 0 0 .61-.6c0-.36-.24-.61-.6-.61m-8.54.02-.05.04v.09q0 .05.05.05H8l-.62.9-.01.02v.03q0 .05.04.05h.82l.05-.05v-.08l-.05-.05h-.55l.6-.9.01-.03v-.03l-.04-.04zm5.3 0-.05.04v1.09q0 .05.05.05h.14l.04-.05v-.45h.55v.45q0 .05.05.05h.13l.05-.05v-1.09l-.05-.04h-.13l-.05.04v.46h-.55v-.46l-.04-.04zm-2.32.16c.25 0 .37.2.37.43s-.1.42-.36.42c-.24 0-.37-.2-.37-.42 0-.23.1-.43.36-.43m5.54 0c.25 0 .37.2.37.43s-.1.42-.35.42-.38-.2-.38-.42c0-.23.11-.43.36-.43"

export default Zoho
