// Imported as `@latchkey/core/providers/eveonline`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"

/**
 * Claims of the access token.
 * @see https://developers.eveonline.com/docs/services/sso/
 */
export interface EveOnlineProfile {
  /** `CHARACTER:EVE:<id>`. */
  readonly sub: string
  /** The character's name. */
  readonly name: string
  /** Changes when the character is sold to another player. */
  readonly owner?: string
  readonly [claim: string]: AnyValue
}

/**
 * EVE Online sign-in (OAuth 2.0). The access token, a verified JWT, identifies the user.
 *
 * Scope: `publicData`. The account is a character. If a sold character must not keep its access, compare
 * `profile.owner`. There is no email address. Register the callback URL `<origin>/auth/callback/eveonline`.
 * @see https://developers.eveonline.com/docs/services/sso/
 */
export function EveOnline(options: OAuthUserConfig<EveOnlineProfile> = {}): OAuth2Config<EveOnlineProfile> {
  return {
    id: "eveonline",
    name: "EVE Online",
    type: "oauth",
    issuer,
    // Tokens may name the issuer with a trailing slash, or as a bare host.
    isIssuer: (found) => [issuer, `${issuer}/`, "login.eveonline.com"].includes(found),
    // The metadata contains the URL of the keys.
    wellKnown: `${issuer}/.well-known/oauth-authorization-server`,
    authorization: { url: `${issuer}/v2/oauth/authorize`, params: { scope: "publicData" } },
    token: `${issuer}/v2/oauth/token`,
    userinfo: { request: readCharacter },
    checks: ["state"],
    profile: ({ sub, name }) => {
      const id = sub.split(":").at(-1) ?? ""
      return { id, name, email: null, image: `https://images.evetech.net/characters/${id}/portrait?size=128` }
    },
    options,
  }
}

const issuer = "https://login.eveonline.com"

/** There is no userinfo endpoint: the access token is a JWT that identifies the user. */
async function readCharacter({ tokens, verifyJwt }: UserinfoRequestContext): Promise<Profile> {
  const claims = await verifyJwt(String(tokens.access_token))
  const { sub, aud } = claims
  if (!Array.isArray(aud) || !aud.includes("EVE Online"))
    throw new Error("The access token's audience is not EVE Online")
  if (typeof sub !== "string" || !/^CHARACTER:EVE:\d+$/.test(sub))
    throw new Error("The access token's subject is not a character")
  return { ...claims }
}

export default EveOnline
