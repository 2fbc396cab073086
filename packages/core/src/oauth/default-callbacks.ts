import type { User } from "@latchkey/types"
import type { Profile, TokenSet } from "../types/user.js"

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
    // Left out rather than null, as in the contract: clients may show an empty picture for null.
    ...(typeof profile.picture === "string" && { image: profile.picture }),
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

/**
 * The `account` callback of a provider that has none: the token fields for which stores have columns.
 */
export function defaultAccount(tokens: TokenSet): TokenSet {
  return Object.fromEntries(
    storedFields.filter((field) => tokens[field] !== undefined).map((field) => [field, tokens[field]]),
  )
}
