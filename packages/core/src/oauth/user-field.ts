import type { Profile } from "../contract/profile.js"
import { isObject, parseJson } from "./json-object.js"

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
