// Imported as `@latchkey/core/providers/slack`.

import type { AnyValue } from "@latchkey/types"
import type { MarkPath, OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"

/**
 * User claims of Slack, from the ID token or the userinfo endpoint.
 * @see https://docs.slack.dev/authentication/sign-in-with-slack/
 */
export interface SlackProfile {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: AnyValue
}

/**
 * Sign in with Slack (OpenID Connect).
 *
 * Scopes: `openid profile email` (default). PKCE is not used, because enabling it turns a Slack app into a public
 * client permanently. Register the redirect URL `<origin>/auth/callback/slack`; it must be https.
 * @see https://docs.slack.dev/authentication/sign-in-with-slack/
 */
export function Slack(options: OIDCUserConfig<SlackProfile> = {}): OIDCConfig<SlackProfile> {
  return {
    id: "slack",
    name: "Slack",
    type: "oidc",
    issuer: "https://slack.com",
    checks: ["nonce"],
    style: { brandColor: "#611f69", mark },
    options,
  }
}

const mark: readonly MarkPath[] = [
  {
    path: "M5.05 15.12a2.51 2.51 0 1 1-2.52-2.51h2.52Zm1.25 0a2.51 2.51 0 1 1 5.03 0v6.29a2.51 2.51 0 1 1-5.03 0Z",
    color: "#e01e5a",
  },
  {
    path: "M8.82 5.03a2.51 2.51 0 1 1 2.51-2.52v2.52Zm0 1.27a2.51 2.51 0 1 1 0 5.03h-6.3a2.51 2.51 0 1 1 0-5.03Z",
    color: "#36c5f0",
  },
  {
    path: "M18.9 8.82a2.51 2.51 0 1 1 2.51 2.51H18.9Zm-1.26 0a2.51 2.51 0 1 1-5.03 0v-6.3a2.51 2.51 0 1 1 5.03 0Z",
    color: "#2eb67d",
  },
  {
    path: "M15.12 18.9a2.51 2.51 0 1 1-2.51 2.51V18.9Zm0-1.26a2.51 2.51 0 1 1 0-5.03h6.3a2.51 2.51 0 1 1 0 5.03Z",
    color: "#ecb22e",
  },
]

export default Slack
