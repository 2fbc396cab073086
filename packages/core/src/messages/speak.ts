import { toError } from "../errors/auth-error.js"
import { InvalidConfiguration } from "../errors/errors.js"
import { toBodilessRequest } from "../http/request.js"
import { lazy } from "../runtime/cache.js"
import type { Awaitable } from "../types/basics.js"
import type { Languages } from "../types/config.js"
import type { Feature } from "../types/resolved.js"
import { type ChooseLanguage, createLanguageChooser } from "./choose.js"
import { english, type Sentence, type Speech, type SpeechFinder, type SpokenTo } from "./speech.js"
import type { Sentences } from "./words.js"

/** A language of the built-in pages and mails. */
export interface Language {
  /** A language tag, RFC 5646, such as `pt-BR`. */
  readonly tag: string
  /** `rtl` for a language that is written from right to left. Default: `ltr`. */
  readonly direction?: "ltr" | "rtl"
  /** Every sentence by id. */
  readonly sentences: Sentences
}

/** A language that is loaded when the first visitor speaks it. */
export interface LazyLanguage extends Pick<Language, "tag"> {
  /** Imports the language. */
  load(): Promise<Language>
}

/** Sentences of your own by id. Names in braces are placeholders. */
export type OwnWords = Readonly<Partial<Sentences>>

/** Options of {@link languages}. */
export interface LanguagesOptions {
  /**
   * Returns the language tag of a request, such as the one in a user's settings or in the URL. If it returns undefined, or a
   * language that is not in the list, the browser decides. Default: the browser decides.
   */
  readonly locale?: (request: Request) => string | undefined
  /**
   * Sentences that replace ours, by language tag and id.
   * @example { de: { "signIn.heading": "Willkommen bei {host}" } }
   */
  readonly words?: Readonly<Record<string, OwnWords>>
}

/**
 * Lets the built-in pages and mails speak more languages than English: the value of `languages`. Each visitor gets the
 * language that their browser prefers among these and English. The languages are imported one by one, from
 * `@latchkey/core/languages/de`, or all at once from `@latchkey/core/languages/all`, which loads each when it is spoken.
 * @example
 * languages: languages([de, fr], { words: { de: { "signIn.heading": "Willkommen bei {host}" } } })
 */
export function languages(list: readonly (Language | LazyLanguage)[], options: LanguagesOptions = {}): Languages {
  const feature: Languages & Feature & SpeechFinder = {
    feature: "languages",
    validate: () => {
      const mistake = findMistake(list, options)
      return mistake === null ? null : new InvalidConfiguration(`languages: ${mistake}`)
    },
    // Lazy, since wrong options are reported later, on a page in English.
    findSpeech: lazySpeeches(list, options),
  }
  return Object.freeze(feature)
}

function lazySpeeches(
  languages: readonly (Language | LazyLanguage)[],
  { locale, words = {} }: LanguagesOptions,
): SpeechFinder["findSpeech"] {
  let known: Speeches | undefined
  const getSpeeches = () => (known ??= toSpeeches(languages, words))
  return async (request, report) => {
    try {
      const { speeches, choose } = getSpeeches()
      const tag = choose(listWishes(request, locale, report)) ?? "en"
      return (await speeches.get(tag)?.()) ?? english
    } catch (error) {
      report(toError(error))
      return english
    }
  }
}

interface Speeches {
  /** By language tag. */
  readonly speeches: ReadonlyMap<string, () => Awaitable<Speech>>
  readonly choose: ChooseLanguage
}

function toSpeeches(
  languages: readonly (Language | LazyLanguage)[],
  words: NonNullable<LanguagesOptions["words"]>,
): Speeches {
  const ownEnglish: Speech = { ...english, sentences: toSentences(words["en"]) }
  const speeches = new Map<string, () => Awaitable<Speech>>([["en", () => ownEnglish]])
  for (const language of languages) {
    const toSpeech = ({ tag, direction = "ltr", sentences }: Language): Speech => ({
      language: tag,
      direction,
      sentences: { ...sentences, ...toSentences(words[tag]) },
    })
    speeches.set(
      language.tag,
      "load" in language ? lazy(async () => toSpeech(await language.load())) : lazy(async () => toSpeech(language)),
    )
  }
  return { speeches, choose: createLanguageChooser([...speeches.keys()]) }
}

/** Without those that are undefined. */
function toSentences(words: OwnWords = {}): Readonly<Record<string, Sentence>> {
  const entries: readonly (readonly [string, Sentence | undefined])[] = Object.entries(words)
  return Object.fromEntries(entries.flatMap(([id, sentence]) => (sentence === undefined ? [] : [[id, sentence]])))
}

/** The language of the host's choice, then those of the browser. */
function listWishes(
  request: SpokenTo,
  locale: LanguagesOptions["locale"],
  report: (error: Error) => void,
): readonly string[] {
  const header = request.headers.get("accept-language") ?? ""
  if (!locale) return [header]
  try {
    const chosen = locale(toBodilessRequest({ ...request, method: "GET" }))
    return typeof chosen === "string" ? [chosen, header] : [header]
  } catch (error) {
    report(toError(error))
    return [header]
  }
}

/** Completes "languages: ...". */
function findMistake(languages: unknown, options: unknown): string | null {
  if (!Array.isArray(languages)) return "the first argument of languages() must be a list of languages"
  const odd = languages.findIndex((language) => !isLanguage(language))
  if (odd !== -1)
    return `language ${odd + 1} of languages() must be imported from @latchkey/core/languages, or have a tag and sentences`
  const tags = ["en", ...languages.map(({ tag }) => tag)]
  const twice = tags.find((tag, n) => tags.indexOf(tag) !== n)
  if (twice !== undefined) return `${twice} is listed twice. English is always spoken`
  const { locale, words = {} }: { readonly locale?: unknown; readonly words?: unknown } = Object(options)
  if (locale !== undefined && typeof locale !== "function") return "locale: must be a function"
  if (typeof words !== "object" || words === null) return "words: must be an object"
  for (const [tag, sentences] of Object.entries(words)) {
    if (!tags.includes(tag)) return `words.${tag}: this language is not spoken. Pass it to languages()`
    const wrong = Object.entries(Object(sentences)).find(([, sentence]) => !isSentence(sentence))
    if (wrong) return `words.${tag}: the sentence ${wrong[0]} must be text, or an object of texts with "other"`
  }
  return null
}

function isLanguage(language: unknown): boolean {
  const { tag, sentences, load }: { readonly tag?: unknown; readonly sentences?: unknown; readonly load?: unknown } =
    Object(language)
  const hasSentences = typeof sentences === "object" && sentences !== null
  return isTag(tag) && (hasSentences || typeof load === "function")
}

function isTag(tag: unknown): boolean {
  try {
    return typeof tag === "string" && Intl.getCanonicalLocales(tag)[0] === tag
  } catch {
    return false // Not a language tag.
  }
}

function isSentence(sentence: unknown): boolean {
  if (sentence === undefined || typeof sentence === "string") return true
  const forms: readonly unknown[] = Object.values(Object(sentence))
  return forms.every((form) => typeof form === "string") && typeof Object(sentence).other === "string"
}
