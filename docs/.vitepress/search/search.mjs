// Ranks pages for a question, in the browser. It stands where the search box of the theme expects MiniSearch.
import MiniSearch from "minisearch"
import { fields, storeFields, synonyms, tokenize, toTerms, weigh } from "./terms.mjs"

const weights = { title: 2, titles: 1, text: 1, questions: 3 }

/** Pages that answer questions stand above those that list, compare or prove. */
function weighPage(id) {
  if (/^\/(?:api|decisions|packages|conformance|threat-model|adapters\.|project\/)/.test(id)) return 0.35
  // Evidence, with long tables.
  if (/^\/(?:frameworks|planted-mistakes)\.|#mistakes-that-were-planted$/.test(id)) return 0.35
  if (/^\/(?:providers|reference)\//.test(id)) return 0.7
  if (/^\/(?:adapters|options(?!\/events))\//.test(id)) return 0.6
  if (/^\/compare\//.test(id)) return 0.5
  // Short answers that lead to a guide come after it.
  if (/^\/guides\/(?:how-to|common-problems)\./.test(id)) return 0.85
  if (/^\/(?:recipes\/|guides\/moving)/.test(id)) return 0.8
  return /^\/(?:testing|moving-from)\//.test(id) ? 0.7 : 1
}

const asIs = { tokenize: (term) => [term], processTerm: (term) => term, fuzzy: false, prefix: false }

/** What to look for, and how many different words that is. `wordOf` has the place of the word that a term stands for. */
function toQuery(question, isKnown) {
  const wordOf = new Map()
  const words = [...new Set(tokenize(question))]
    .map((word) => [toTerms(word) ?? []].flat())
    .filter((terms) => terms.length > 0)
  const queries = words.flatMap(([term, ...parts], place) => {
    const known = isKnown(term)
    const add = (other, weight, options) => {
      if (wordOf.has(other)) return []
      wordOf.set(other, place)
      return [{ ...asIs, queries: [other], boostTerm: () => weight, ...options }]
    }
    // The last word may be unfinished, and one that no page has may be misspelled.
    const isLast = place === words.length - 1
    return [
      ...add(term, weigh(term), { prefix: isLast || !known, fuzzy: known ? false : 0.2 }),
      ...parts.flatMap((part) => add(part, 0.5)),
      ...(synonyms.get(term) ?? []).flatMap((other) => add(other, 0.5 * weigh(other))),
    ]
  })
  return { query: { combineWith: "OR", queries }, wordOf, words }
}

const byScore = (a, b) => b.score - a.score

const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0)

const termsOf = new Map()

/** The terms of a phrase, kept, because each key that is typed asks for them again. */
function readPhrase(phrase) {
  const kept = termsOf.get(phrase)
  if (kept) return kept
  const terms = new Set(tokenize(phrase).flatMap((word) => [toTerms(word) ?? []].flat().slice(0, 1)))
  termsOf.set(phrase, terms)
  return terms
}

/** How much of a question and of a phrase is the same, from 0 to 1. */
function compare(words, phrase) {
  const terms = readPhrase(phrase)
  const shares = words.map(([term]) => {
    if (terms.has(term)) return weigh(term)
    return (synonyms.get(term) ?? []).some((other) => terms.has(other)) ? 0.7 * weigh(term) : 0
  })
  const same = sumOf(shares)
  return same / (sumOf(words.map(([term]) => weigh(term))) + sumOf([...terms].map(weigh)) - same)
}

/** The sections with a part of the words count less. MiniSearch multiplies by the number of terms, synonyms included. */
function toSections(results, { wordOf, words }) {
  const total = sumOf(words.map(([term]) => weigh(term)))
  const sections = results.map((result) => {
    const matched = new Set(result.queryTerms.map((term) => wordOf.get(term)))
    const share = sumOf([...matched].map((place) => weigh(words[place]?.[0]))) / total
    const score = (result.score / result.queryTerms.length) * share * weighPage(result.id)
    return { ...result, score }
  })
  // A phrase of its own, or a title, that asks the same says more than words that a section has here and there.
  return sections.sort(byScore).map((section, place) => {
    if (place > 60) return section
    const phrases = [
      section.title,
      [...section.titles, section.title].join(" "),
      ...(section.questions?.split("\n") ?? []),
    ]
    return { ...section, score: section.score * (1 + 4 * Math.max(...phrases.map((phrase) => compare(words, phrase)))) }
  })
}

/** Each page once, with its best section. Other sections that match add a little. */
function toPages(sections) {
  const pages = new Map()
  for (const section of [...sections].sort(byScore)) {
    const path = section.id.split("#")[0]
    pages.set(path, [...(pages.get(path) ?? []), section])
  }
  return [...pages.values()]
    .map(([best, ...others]) => ({
      ...best,
      score: best.score + 0.1 * sumOf(others.slice(0, 3).map(({ score }) => score)),
    }))
    .sort(byScore)
}

export const createSearch = (index) => (question) => {
  const isKnown = (term) => index.search(term, asIs).length > 0
  const asked = toQuery(question, isKnown)
  return toPages(toSections(index.search(asked.query, { boost: weights }), asked))
}

export default {
  loadJSON(json) {
    const index = MiniSearch.loadJSON(json, { fields, storeFields })
    return { search: createSearch(index) }
  },
}
