// Imported as `@latchkey/core/providers/telegram`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { joinName } from "./_shared/profile.js"

/**
 * User claims of Telegram, from the ID token or the userinfo endpoint.
 * @see https://core.telegram.org/bots/telegram-login
 */
export interface TelegramProfile {
  readonly sub: string
  readonly name?: string
  readonly given_name?: string
  readonly family_name?: string
  readonly preferred_username?: string
  readonly picture?: string
  /** The user's ID in the Bot API. */
  readonly id?: number
  readonly [claim: string]: AnyValue
}

/**
 * Telegram sign-in (OpenID Connect). BotFather's web login settings show the client ID and secret; they are not the
 * bot's token.
 *
 * Scopes: `openid profile`. There is no email address, and name and image may be missing. Register the redirect URL
 * `<origin>/auth/callback/telegram` in the same settings.
 * @see https://core.telegram.org/bots/telegram-login
 */
export function Telegram(options: OIDCUserConfig<TelegramProfile> = {}): OIDCConfig<TelegramProfile> {
  return {
    id: "telegram",
    name: "Telegram",
    type: "oidc",
    issuer: "https://oauth.telegram.org",
    authorization: { params: { scope: "openid profile" } },
    checks: ["pkce", "state"],
    profile: ({ sub, name, given_name, family_name, preferred_username, picture }) => ({
      id: sub,
      name: name ?? joinName(given_name, family_name) ?? preferred_username ?? null,
      email: null,
      image: picture ?? null,
    }),
    style: { brandColor: "#26A5E4", mark },
    options,
  }
}

const mark =
  "M11.944 0A12 12 0 0 0 0 12a12 12 0 0 0 12 12 12 12 0 0 0 12-12A12 12 0 0 0 12 0a12 12 0 0 0-.056 0zm4.962 7.224c.1-.002.321.023.465.14a.506.506 0 0 1 .171.325c.016.093.036.306.02.472-.18 1.898-.962 6.502-1.36 8.627-.168.9-.499 1.201-.82 1.23-.696.065-1.225-.46-1.9-.902-1.056-.693-1.653-1.124-2.678-1.8-1.185-.78-.417-1.21.258-1.91.177-.184 3.247-2.977 3.307-3.23.007-.032.014-.15-.056-.212s-.174-.041-.249-.024c-.106.024-1.793 1.14-5.061 3.345-.48.33-.913.49-1.302.48-.428-.008-1.252-.241-1.865-.44-.752-.245-1.349-.374-1.297-.789.027-.216.325-.437.893-.663 3.498-1.524 5.83-2.529 6.998-3.014 3.332-1.386 4.025-1.627 4.476-1.635z"

export default Telegram
