/** The user at the identity provider: claims of OpenID Connect Core 1.0 section 5.1, and any others. */
export interface Person {
  readonly sub: string
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly email_verified?: boolean | undefined
  readonly picture?: string | undefined
  readonly [claim: string]: unknown
}

/** The default user. */
export const ada: Person = {
  sub: "ada-1815",
  name: "Ada Lovelace",
  email: "ada@example.com",
  email_verified: true,
  picture: "https://idp.test/people/ada.png",
}

/** The claims of each scope, OpenID Connect Core 1.0 section 5.4. */
const claimsOfScope: Readonly<Record<string, readonly string[]>> = {
  email: ["email", "email_verified"],
  address: ["address"],
  phone: ["phone_number", "phone_number_verified"],
}
const scopedClaims: readonly string[] = Object.values(claimsOfScope).flat()

/**
 * The claims that a client with these scopes gets. With `openid`: `sub` and the claims of the scopes, where claims of no
 * standard scope belong to `profile`. Without it, as at plain OAuth 2.0 providers: everything.
 */
export function describePerson(person: Person, scope: string): Readonly<Record<string, unknown>> {
  const scopes = scope.split(" ")
  if (!scopes.includes("openid")) return person
  const granted = scopes.flatMap((name) => claimsOfScope[name] ?? [])
  const isShown = (claim: string): boolean => {
    if (claim === "sub") return true
    return scopedClaims.includes(claim) ? granted.includes(claim) : scopes.includes("profile")
  }
  return Object.fromEntries(Object.entries(person).filter(([claim]) => isShown(claim)))
}
