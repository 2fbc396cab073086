import type { User } from "@latchkey/types"
import { randomUUID } from "../crypto/random.js"
import { OAuthProfileParseError } from "../errors/errors.js"
import { isRecord, parseJson } from "../runtime/json.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { Account, Profile, TokenSet } from "../types/user.js"
import { createProviderFetch } from "./fetch.js"

/** The user and account that a provider's profile describes. */
export interface OAuthIdentity {
  /** Has a new random id; the stored user is looked up later. */
  readonly user: User
  readonly account: Account
  readonly profile: Profile
  readonly tokens: TokenSet
}

/** Characters. Far above what stores and cookies can hold. */
const maxTextLength = 4096

/** Texts that a careless conversion makes of a missing id. */
const brokenIds: ReadonlySet<string> = new Set([
  "",
  "0",
  "undefined",
  "null",
  "NaN",
  "true",
  "false",
  "[object Object]",
])

/**
 * Turns a profile into a user and an account with the provider's `profile` callback. The account's id is always the one
 * that the callback returns.
 * @throws OAuthProfileParseError
 */
export async function toIdentity(
  provider: ResolvedOAuthProvider,
  profile: Profile,
  tokens: TokenSet,
): Promise<OAuthIdentity> {
  try {
    const fetch = createProviderFetch(provider, "userinfo")
    const person: unknown = await provider.profile(profile, tokens, { ...provider, fetch })
    if (!isRecord(person)) throw new TypeError("The profile callback returned no user")
    const { userId: _, ...fields } = tokens
    const providerAccountId = parseAccountId(person["id"])
    return {
      user: { ...parsePerson(person), id: randomUUID() },
      account: { ...fields, provider: provider.id, type: provider.type, providerAccountId },
      profile,
      tokens,
    }
  } catch (error) {
    const err =
      error instanceof Error ? error : new TypeError("The profile callback threw a value that is not an Error")
    throw new OAuthProfileParseError({ err, provider: provider.id })
  }
}

function parseAccountId(id: unknown): string {
  if (typeof id !== "string" && typeof id !== "number") throw new TypeError("The profile has no id")
  // JSON.parse rounds larger numbers, so that two ids could become one.
  if (typeof id === "number" && !Number.isSafeInteger(id)) throw new TypeError("The profile's id is not a safe integer")
  const text = String(id)
  if (brokenIds.has(text.trim())) throw new TypeError("The profile has no id")
  if (text.length > maxTextLength) throw new TypeError("The profile's id is too long")
  return text
}

function parsePerson(person: Readonly<Record<string, unknown>>): User {
  const { name, email } = person
  for (const [field, value] of Object.entries({ name, email })) {
    if (value === undefined || value === null) continue
    if (typeof value !== "string") throw new TypeError(`The profile's ${field} is not a string`)
    if (value.length > maxTextLength) throw new TypeError(`The profile's ${field} is too long`)
  }
  return typeof email === "string" ? { ...person, email: toLowerCase(email) } : { ...person }
}

/**
 * Keeps the Kelvin sign (U+212A), the only non-ASCII character whose lower case is an ASCII letter: a look-alike must not
 * become another user's address.
 */
function toLowerCase(email: string): string {
  return email.replace(/[^\u212a]+/g, (text) => text.toLowerCase())
}

/**
 * Adds the `user` field of a form-post callback to the claims: Apple sends the user's name there, with the first consent
 * only. The field comes through the browser unsigned, so that only the name is used, and it never replaces a claim.
 * @see https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple
 */
export function withUserField(claims: Profile, field: unknown): Profile {
  if (typeof field !== "string" || field.length > maxTextLength) return claims
  const user = parseJson(field)
  const name = isRecord(user) ? user["name"] : undefined
  if (!isRecord(name)) return claims
  const parts = Object.entries(name).filter(([, value]) => typeof value === "string")
  return { user: { name: Object.fromEntries(parts) }, ...claims }
}
