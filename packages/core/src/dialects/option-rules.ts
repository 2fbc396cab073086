import type { OptionRule } from "../contract/common-provider.js"

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
