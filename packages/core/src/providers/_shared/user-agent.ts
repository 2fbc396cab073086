import type { HookProvider, TokenRequestContext, UserinfoRequestContext } from "../../types/oauth-provider.js"
import type { Profile } from "../../types/user.js"
import { requestProfile } from "./request.js"

/**
 * For vendors that limit or block requests whose user agent does not tell one app from another: what the token, revocation
 * and profile requests of a provider need.
 */
export function requestsNaming(toUserAgent: (clientId: string) => string): {
  readonly token: (context: TokenRequestContext) => Promise<Response>
  readonly userinfo: (context: UserinfoRequestContext) => Promise<Profile>
} {
  const nameApp = ({ clientId }: HookProvider) => toUserAgent(String(clientId))
  return {
    token({ url, headers, params, provider }) {
      headers.set("user-agent", nameApp(provider))
      return provider.fetch(url, { method: "POST", headers, body: params })
    },
    userinfo: (context) => requestProfile(context, { headers: { "user-agent": nameApp(context.provider) } }),
  }
}
