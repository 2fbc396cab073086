import type { DerivedFacts, GivenFacts } from "../contract/oauth-provider.js"

/**
 * Facts of a server that hosts run at an address of their own, which they give as `issuer`. Without one, nothing
 * follows. What callbacks and tokens name as issuer may end in a slash or not.
 * @param build Makes the facts of the address without its last slash.
 * @param usual The address of those who give none.
 */
export function belowBase(build: (base: string) => DerivedFacts, usual?: string): (given: GivenFacts) => DerivedFacts {
  return ({ issuer = usual }) => {
    if (issuer === undefined) return {}
    const facts = build(withoutSlash(issuer))
    const own = withoutSlash(facts.issuer ?? issuer)
    return { issuer, isIssuer: (found) => withoutSlash(found) === own, ...facts }
  }
}

/** An address without the slashes that it ends in, ready to be followed by a path. */
export function withoutSlash(address: string): string {
  return address.replace(/\/+$/, "")
}
