import type { OptionRule } from "../../types/basics.js"
import type { DerivedFacts, GivenFacts } from "../../types/oauth-provider.js"

/** The URL of a server: absolute, without credentials, query, fragment and unfilled placeholders. */
export function issuerUrl(example: string): OptionRule {
  const message = `must be an http(s) URL without a query, such as ${example}`
  return (value) => (typeof value === "string" && isPlainUrl(value) ? null : message)
}

function isPlainUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) return false
  return `${url.username}${url.password}${url.search}${url.hash}` === "" && !/[?#{}\s]/.test(text)
}

/** One of a list of strings. */
export function oneOf(values: readonly string[]): OptionRule {
  return (value) => (typeof value === "string" && values.includes(value) ? null : `must be one of ${values.join(", ")}`)
}

/** A string that matches a pattern, for values that become part of a URL or a header. */
export function matching(pattern: RegExp, message: string): OptionRule {
  return (value) => (typeof value === "string" && pattern.test(value) ? null : message)
}

/** A string that is not blank. */
export function required(message: string): OptionRule {
  return (value) => (typeof value === "string" && value.trim() !== "" ? null : message)
}

/** Applies a rule only if the option is set. */
export function optional(rule: OptionRule): OptionRule {
  return (value) => (value === undefined || value === null ? null : rule(value))
}

/**
 * A `derive` for servers at a URL of the host's choice, the option `issuer`. Derives nothing without one. The issuer of
 * a callback or token matches with or without a trailing slash.
 * @param toFacts Builds the facts from the URL without a trailing slash.
 * @param defaultIssuer The URL for hosts that set none.
 */
export function deriveFromIssuer(
  toFacts: (base: string) => DerivedFacts,
  defaultIssuer?: string,
): (given: GivenFacts) => DerivedFacts {
  return ({ issuer = defaultIssuer }) => {
    if (issuer === undefined) return {}
    const facts = toFacts(trimSlashes(issuer))
    const expected = trimSlashes(facts.issuer ?? issuer)
    return { issuer, isIssuer: (found) => trimSlashes(found) === expected, ...facts }
  }
}

/**
 * A URL without its trailing slashes, so that a path can follow. A loop, because a pattern would take quadratic time for an
 * issuer of many slashes, which anyone can send.
 */
export function trimSlashes(url: string): string {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}
