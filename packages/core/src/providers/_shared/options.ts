import type { OptionRule } from "../../types/basics.js"
import type { DerivedFacts, GivenFacts } from "../../types/oauth-provider.js"

/** The address that a provider of many servers is found at: absolute, without user, query and fragment. */
export function issuerUrl(example: string): OptionRule {
  const sentence = `must be an http(s) URL without query, such as ${example}`
  return (value) => (typeof value === "string" && isPlainAddress(value) ? null : sentence)
}

function isPlainAddress(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false
  return `${url.username}${url.password}${url.search}${url.hash}` === "" && !/[?#{}\s]/.test(text)
}

/** One of a few words. */
export function oneOf(words: readonly string[]): OptionRule {
  return (value) => (typeof value === "string" && words.includes(value) ? null : `must be one of ${words.join(", ")}`)
}

/** Text of a certain form, for what becomes part of an address or a header. */
export function textLike(pattern: RegExp, sentence: string): OptionRule {
  return (value) => (typeof value === "string" && pattern.test(value) ? null : sentence)
}

/** Any text that is not empty. */
export function required(sentence: string): OptionRule {
  return (value) => (typeof value === "string" && value.trim() !== "" ? null : sentence)
}

/** The rule holds only where a value is given. */
export function optional(rule: OptionRule): OptionRule {
  return (value) => (value === undefined || value === null ? null : rule(value))
}

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
