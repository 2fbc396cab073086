// Imported as `@latchkey/core/providers/discord`.

import type { AnyValue } from "@latchkey/types"
import type { OAuth2Config, OAuthUserConfig, UserinfoRequestContext } from "../types/oauth-provider.js"
import type { Profile } from "../types/user.js"
import { requestProfile } from "./_shared/request.js"

/**
 * A user as returned by the Discord API.
 * @see https://discord.com/developers/docs/resources/user#user-object
 */
export interface DiscordProfile {
  readonly id: string
  readonly username: string
  readonly discriminator?: string
  readonly global_name?: string | null
  /** A hash. */
  readonly avatar?: string | null
  readonly email?: string | null
  /** Whether the email address is verified. */
  readonly verified?: boolean
  /** URL of the avatar, or of Discord's default one. Set by the provider's own `profile` callback. */
  image_url?: string
  readonly [field: string]: AnyValue
}

/**
 * Discord sign-in (OAuth 2.0).
 *
 * Scopes: `identify` for the profile, `email` for the email address, which may be missing. Users without an avatar
 * get Discord's default one. Register the redirect `<origin>/auth/callback/discord`.
 * @see https://discord.com/developers/docs/topics/oauth2
 */
export function Discord(options: OAuthUserConfig<DiscordProfile> = {}): OAuth2Config<DiscordProfile> {
  return {
    id: "discord",
    name: "Discord",
    type: "oauth",
    // Callbacks contain it as `iss` (RFC 9207).
    issuer: "https://discord.com",
    authorization: { url: "https://discord.com/oauth2/authorize", params: { scope: "identify email" } },
    token: "https://discord.com/api/oauth2/token",
    revocation: "https://discord.com/api/oauth2/token/revoke",
    userinfo: { url: "https://discord.com/api/users/@me", request: requestWithVerifiedFlag },
    profile(profile) {
      // Callbacks that were written for Auth.js read it from the profile.
      profile.image_url = toImage(profile)
      return {
        id: profile.id,
        name: profile.global_name ?? profile.username,
        email: profile.email ?? null,
        image: profile.image_url,
      }
    },
    style: { brandColor: "#5865F2", mark },
    options,
  }
}

/** Adds `email_verified`, which account linking uses. */
async function requestWithVerifiedFlag(context: UserinfoRequestContext): Promise<Profile> {
  const profile = await requestProfile(context)
  return { ...profile, email_verified: profile["verified"] === true }
}

/** @see https://discord.com/developers/docs/reference#image-formatting */
function toImage({ id, avatar, discriminator = "0" }: DiscordProfile): string {
  if (avatar) {
    return `https://cdn.discordapp.com/avatars/${id}/${avatar}.${avatar.startsWith("a_") ? "gif" : "png"}`
  }
  // Legacy accounts still have a number after their name.
  const index = discriminator === "0" ? Number(BigInt(id) >> 22n) % 6 : Number(discriminator) % 5
  return `https://cdn.discordapp.com/embed/avatars/${index}.png`
}

const mark =
  "M20.32 4.37a20 20 0 0 0-4.89-1.52.1.1 0 0 0-.08.04c-.2.38-.44.87-.6 1.25a18 18 0 0 0-5.5 0c-.16-.4-.4-.87-.6-1.25a.1.1 0 0 0-.09-.04 20 20 0 0 0-4.88 1.52l-.04.03A20.3 20.3 0 0 0 .1 18.06l.03.05a20 20 0 0 0 6 3.03l.08-.02q.7-.95 1.22-2a.1.1 0 0 0-.04-.1 13 13 0 0 1-1.87-.9.1.1 0 0 1 0-.12l.36-.3h.08a14.2 14.2 0 0 0 12.06 0h.08l.37.3a.1.1 0 0 1 0 .12 12 12 0 0 1-1.88.9.1.1 0 0 0-.04.1q.55 1.05 1.23 2l.08.02a20 20 0 0 0 6-3.03l.04-.05c.5-5.18-.84-9.68-3.55-13.66zM8.02 15.33c-1.18 0-2.16-1.08-2.16-2.42s.96-2.42 2.16-2.42 2.18 1.1 2.16 2.42c0 1.34-.96 2.42-2.16 2.42m7.97 0c-1.18 0-2.15-1.08-2.15-2.42s.95-2.42 2.15-2.42c1.22 0 2.18 1.1 2.16 2.42 0 1.34-.94 2.42-2.16 2.42"

export default Discord
