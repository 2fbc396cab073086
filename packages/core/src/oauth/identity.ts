import type { User } from "@latchkey/types"
import { randomUUID } from "../crypto/random.js"
import { OAuthProfileParseError } from "../errors/errors.js"
import type { ResolvedOAuthProvider } from "../types/resolved.js"
import type { Account, Profile, TokenSet } from "../types/user.js"
import { createProviderFetch, isObject, parseJson } from "./fetch.js"

/** Who a provider says this is. */
export interface OAuthIdentity {
  /** With a new random id: whether it is a user that the store knows is not decided here. */
  readonly user: User
  readonly account: Account
  readonly profile: Profile
  readonly tokens: TokenSet
}

/** Column widths of stores and cookies are far below this. */
const maxTextLength = 4096

/** What ids look like that are none, after a careless conversion to text. */
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
 * Turns a profile into a user and an account by the provider's `profile` callback. The account is bound to the id that
 * the callback returns, and never to anything made up.
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
    if (!isObject(person)) throw new TypeError("The profile callback returned no user")
    const { userId: _, ...fields } = tokens
    const providerAccountId = parseAccountId(person["id"])
    return {
      user: { ...parsePerson(person), id: randomUUID() },
      account: { ...fields, provider: provider.id, type: provider.type, providerAccountId },
      profile,
      tokens,
    }
  } catch (error) {
    const err = error instanceof Error ? error : new TypeError("The profile callback threw something that is no error")
    throw new OAuthProfileParseError({ err, provider: provider.id })
  }
}

function parseAccountId(id: unknown): string {
  if (typeof id !== "string" && typeof id !== "number") throw new TypeError("The profile has no id")
  // The parser of JSON rounds larger numbers, which makes one id of two.
  if (typeof id === "number" && !Number.isSafeInteger(id)) throw new TypeError("The profile's id is no exact number")
  const text = String(id)
  if (brokenIds.has(text.trim())) throw new TypeError("The profile has no id")
  if (text.length > maxTextLength) throw new TypeError("The profile's id is too long")
  return text
}

function parsePerson(person: Readonly<Record<string, unknown>>): User {
  const { name, email } = person
  for (const [field, value] of Object.entries({ name, email })) {
    if (value === undefined || value === null) continue
    if (typeof value !== "string") throw new TypeError(`The profile's ${field} is no text`)
    if (value.length > maxTextLength) throw new TypeError(`The profile's ${field} is too long`)
  }
  return typeof email === "string" ? { ...person, email: toLowerCase(email) } : { ...person }
}

/**
 * The Kelvin sign (U+212A) is the one character whose lower case is an ASCII letter. It stays, so that a look-alike
 * does not become somebody else's address.
 */
function toLowerCase(email: string): string {
  return email.replace(/[^\u212a]+/g, (text) => text.toLowerCase())
}

const maxLength = 4096

/**
 * Adds the `user` field of a form-post callback to the claims: Apple sends a person's name there, at the very first
 * consent only. The field comes through the browser and is signed by nobody, so that it gives a name and nothing else,
 * and never replaces a claim.
 * @see https://developer.apple.com/documentation/signinwithapple/configuring-your-webpage-for-sign-in-with-apple
 */
export function withUserField(claims: Profile, field: unknown): Profile {
  if (typeof field !== "string" || field.length > maxLength) return claims
  const user = parseJson(field)
  const name = isObject(user) ? user["name"] : undefined
  if (!isObject(name)) return claims
  const parts = Object.entries(name).filter(([, value]) => typeof value === "string")
  return { user: { name: Object.fromEntries(parts) }, ...claims }
}
