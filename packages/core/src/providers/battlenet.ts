// Imported as `@latchkey/core/providers/battlenet`.

import type { AnyValue } from "@latchkey/types"
import type { OIDCConfig, OIDCUserConfig } from "../types/oauth-provider.js"
import { oneOf } from "./_shared/options.js"

/**
 * User claims of Battle.net, from the ID token or the userinfo endpoint.
 * @see https://develop.battle.net/documentation/battle-net/oauth-apis
 */
export interface BattleNetProfile {
  readonly sub: string
  readonly battle_tag: string
  readonly [claim: string]: AnyValue
}

const issuers = ["https://oauth.battle.net", "https://oauth.battlenet.com.cn"] as const

/** The issuers of single regions, which the vendor replaced. */
const formerIssuers: Readonly<Record<string, string>> = {
  "https://us.battle.net/oauth": issuers[0],
  "https://eu.battle.net/oauth": issuers[0],
  "https://kr.battle.net/oauth": issuers[0],
  "https://tw.battle.net/oauth": issuers[0],
  "https://www.battlenet.com.cn/oauth": issuers[1],
}

/**
 * Battle.net sign-in (OpenID Connect). Requires `issuer`: `https://oauth.battle.net`, or in China
 * `https://oauth.battlenet.com.cn`.
 *
 * Scopes: `openid profile email` (default). The name is the BattleTag. There is no email address and no image.
 * Register the redirect URL `<origin>/auth/callback/battlenet`.
 * @see https://develop.battle.net/documentation/guides/using-oauth
 */
export function BattleNet(options: OIDCUserConfig<BattleNetProfile> = {}): OIDCConfig<BattleNetProfile> {
  return {
    id: "battlenet",
    name: "Battle.net",
    type: "oidc",
    optionRules: { issuer: oneOf([...issuers, ...Object.keys(formerIssuers)]) },
    derive: ({ issuer = "" }) => (formerIssuers[issuer] ? { issuer: formerIssuers[issuer] } : {}),
    profile: ({ sub, battle_tag }) => ({ id: sub, name: battle_tag, email: null, image: null }),
    style: { brandColor: "#148eff", mark },
    options,
  }
}

const mark =
  "M18.94 8.3A24.4 24.4 0 0 0 7.43 6.33c.2-1.36.71-2.3 1.54-2.5 1.15-.28 2.4.47 3.6 1.85.78.1 1.7.28 2.35.43C12.75 2 9.82-.3 7.61.57c-1.7.64-2.56 2.97-2.45 6.09-2.2.47-3.92 1.3-5.01 2.5-.06.06-.18.22-.14.3.03.06.15 0 .2-.04 1.27-.9 2.9-1.37 5.02-1.68.3 3.34 1.71 7.56 4.06 10.96-1.28.5-2.36.53-2.95-.1-.81-.85-.78-2.31-.2-4.03a27 27 0 0 1-.8-2.26c-2.46 3.94-2.98 7.61-1.14 9.11 1.4 1.14 3.85.73 6.5-.92 1.5 1.67 3.08 2.74 4.67 3.1.08 0 .29.04.33-.04.03-.06-.08-.13-.13-.15-1.4-.66-2.64-1.83-3.96-3.52a24 24 0 0 0 7.45-8.98c1.08.86 1.64 1.77 1.4 2.6-.34 1.12-1.61 1.83-3.4 2.18a28 28 0 0 1-1.55 1.82c4.63.16 8.08-1.22 8.46-3.56.28-1.79-1.3-3.7-4.06-5.17.7-2.14.84-4.04.35-5.6-.03-.07-.1-.26-.2-.26-.06 0-.06.13-.06.19.14 1.54-.26 3.2-1.06 5.19m-8.53 9.86A20 20 0 0 1 7.33 7.57c3.7-.12 7.47.75 10.7 2.63a20 20 0 0 1-7.62 7.96"

export default BattleNet
