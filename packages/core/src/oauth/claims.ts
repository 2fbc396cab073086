import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { Profile, TokenSet } from "../types/user.js"
import { toRequestedScope } from "./authorize.js"

/** Claims that vouch for another one, which must come from the same place. */
const vouching: Readonly<Record<string, string>> = { email_verified: "email", phone_number_verified: "phone_number" }

/** Claims about the token and not about the user: OpenID Connect Core 1.0 section 2, RFC 7519 section 4.1. */
const tokenClaims: ReadonlySet<string> = new Set([
  ...["iss", "aud", "exp", "iat", "nbf", "jti", "nonce", "azp", "at_hash", "c_hash", "s_hash"],
])

/** Claims about the sign-in, and the session that began with it at the provider. */
const signInClaims = ["sid", "amr", "acr", "auth_time"] as const

/**
 * The claims of a userinfo response that has an ID token beside it, which alone says how and when the user signed in. Nothing
 * ties the response to this sign-in, and at some providers users edit what it says.
 */
export function withoutSignInClaims(userinfo: Profile): Profile {
  const claims: Profile = { ...userinfo }
  for (const name of signInClaims) delete claims[name]
  return claims
}

/**
 * The claims of one user from the ID token and the userinfo endpoint, which have the same `sub`.
 * @param first These win.
 * @param second Fills in what `first` does not have.
 */
export function mergeClaims(first: Profile, second: Profile): Profile {
  const merged: Profile = { ...first }
  for (const [name, value] of Object.entries(second)) {
    if (isMissing(first[name]) && !isMissing(value) && !tokenClaims.has(name) && !(name in vouching))
      merged[name] = value
  }
  for (const [verified, name] of Object.entries(vouching)) {
    if (!isMissing(first[name]) && first[name] !== second[name]) continue
    // The value is that of the second one, or the same in both.
    const source = isMissing(first[name]) ? second : { ...second, ...first }
    const value = isMissing(source[verified]) ? second[verified] : source[verified]
    if (isMissing(value)) delete merged[verified]
    else merged[verified] = value
  }
  return merged
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ""
}

/** What a scope asks for: OpenID Connect Core 1.0 section 5.4, and what servers call groups and roles. One is enough. */
const claimsOfScope: Readonly<Record<string, readonly string[]>> = {
  profile: ["name", "nickname", "preferred_username", "given_name"],
  email: ["email"],
  phone: ["phone_number"],
  address: ["address"],
  groups: ["groups"],
  roles: ["roles"],
}

/**
 * Whether the ID token has none of the claims that a granted scope stands for, or not all that the `claims` parameter asks the
 * userinfo endpoint for.
 */
export function isIncomplete(claims: Profile, provider: ResolvedOAuthProvider, { scope }: TokenSet): boolean {
  const granted = scope ?? toRequestedScope({ provider, query: new URLSearchParams() })
  const isAbsent = (name: string) => isMissing(claims[name])
  const asked = Object.keys(Object(Object(provider.authorization.params?.["claims"])["userinfo"]))
  return (
    granted.split(" ").some((name) => Object.hasOwn(claimsOfScope, name) && claimsOfScope[name]?.every(isAbsent)) ||
    asked.some(isAbsent)
  )
}
