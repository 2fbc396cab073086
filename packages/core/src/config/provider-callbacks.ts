import type { TokenSet } from "../contract/account.js"
import type { Profile } from "../contract/profile.js"
import type { User } from "../contract/user.js"

/**
 * The `profile` callback of a provider that has none: the standard claims of OpenID Connect Core 1.0 section 5.1.
 * Without `sub` or `id` the user has no id, and the sign-in is refused.
 */
export function defaultProfile(profile: Profile): User {
  const id = profile.sub ?? profile.id
  return {
    ...(id !== undefined && id !== null && { id }),
    name: profile.name ?? profile.nickname ?? profile.preferred_username ?? null,
    email: profile.email ?? null,
    image: typeof profile.picture === "string" ? profile.picture : null,
  }
}

const storedFields = [
  "access_token",
  "id_token",
  "refresh_token",
  "expires_at",
  "scope",
  "token_type",
  "session_state",
] as const

/** The `account` callback of a provider that has none: the fields that stores have columns for, as far as present. */
export function defaultAccount(tokens: TokenSet): TokenSet {
  return Object.fromEntries(
    storedFields.filter((field) => tokens[field] !== undefined).map((field) => [field, tokens[field]]),
  )
}
