// How the search reads: words of pages and of questions, in one form.
import words from "./words.json" with { type: "json" }

const phrases = words.phrases.map(([pattern, term]) => [new RegExp(`\\b${pattern}\\b`, "gi"), term])
const common = new Set(words.common.split(" "))

/** The fields of the index. */
export const fields = ["title", "titles", "text", "questions"]
export const storeFields = ["title", "titles", "questions"]

/** Splits a text into words. A phrase of words.json is one word. */
export function tokenize(text) {
  const joined = phrases.reduce((rest, [pattern, term]) => rest.replace(pattern, term), text.replace(/['’]/g, ""))
  return joined.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== "")
}

/** The word without its ending, so that "expires" finds "expiration". */
export function toStem(word) {
  if (word.length < 4 || /[\d_]/.test(word)) return word
  const singular = word.replace(/(ss|sh|ch|x)es$/, "$1").replace(/([^su])s$/, "$1")
  const bare = singular
    .replace(/([bcdfghjklmnpqrstvwxz])y$|ies?$|ied$/, "$1i")
    .replace(/^(.*[aeiouy].*[^e])(?:ed|ing)$/, "$1")
    .replace(/(t|s)ion$/, "$1")
    .replace(/([bdgmnprt])\1$/, "$1")
  return bare.length > 4 ? bare.replace(/e$/, "") : bare
}

/** The forms under which a word is found: without its ending, and the parts of a name in camel case. */
export function toTerms(word) {
  const lower = word.toLowerCase()
  if (common.has(lower)) return null
  const parts = word.match(/\p{Lu}?\p{Ll}{2,}/gu) ?? []
  if (parts.length < 2 || parts.join("") !== word) return toStem(lower)
  const names = parts.map((part) => part.toLowerCase()).filter((part) => part.length > 3 && !common.has(part))
  return [lower, ...names.map(toStem)]
}

/** Terms that mean the same, by each of them. */
export const synonyms = new Map()
for (const group of words.synonyms.map((names) => names.map((name) => toStem(name))))
  for (const term of group)
    synonyms.set(term, [...(synonyms.get(term) ?? []), ...group.filter((other) => other !== term)])

const names = new Set(words.names.map(toStem))
const weak = new Set(words.weak.map(toStem))

/** A product's name says more about what is meant than other words, and what most pages have says less. */
export const weigh = (term) => (names.has(term) ? 2 : weak.has(term) ? 0.4 : 1)
