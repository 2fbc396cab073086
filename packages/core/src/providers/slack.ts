// Imported as `@latchkey/core/providers/slack`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { neutralMark } from "./_shared/profile.js"

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
    style: { brandColor: "#611f69", mark: neutralMark },
    options,
  }
}

export default Slack
