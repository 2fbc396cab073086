/** Who signs in at the identity provider: the claims of OpenID Connect Core 1.0 section 5.1, and any other. */
export interface Person {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly picture?: string
  readonly [claim: string]: unknown
}

/** Who signs in where a test does not say. */
export const ada: Person = {
  sub: "ada-1815",
  name: "Ada Lovelace",
  email: "ada@example.com",
  email_verified: true,
  picture: "https://idp.test/people/ada.png",
}

/** The claims that come with a scope, OpenID Connect Core 1.0 section 5.4. */
const claimsOfScope: Readonly<Record<string, readonly string[]>> = {
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
}
const guarded: readonly string[] = Object.values(claimsOfScope).flat()

/**
 * What an app learns of a person. Without `openid` among the scopes, as plain OAuth 2.0 providers have it: everything.
 * With it:
 * `sub`, and what the scopes name; claims of no standard scope count as `profile`.
 */
export function describePerson(person: Person, scope: string): Readonly<Record<string, unknown>> {
  const scopes = scope.split(" ")
  if (!scopes.includes("openid")) return person
  const granted = scopes.flatMap((name) => claimsOfScope[name] ?? [])
  const isShown = (claim: string): boolean => {
    if (claim === "sub") return true
    return guarded.includes(claim) ? granted.includes(claim) : scopes.includes("profile")
  }
  return Object.fromEntries(Object.entries(person).filter(([claim]) => isShown(claim)))
}
