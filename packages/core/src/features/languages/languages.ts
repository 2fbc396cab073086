import { AuthError, toError } from "../../errors/auth-error.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import { threwIn } from "../../errors/failure-reason.js"
import { cleanError } from "../../host/redact.js"
import { toBodilessRequest } from "../../http/request.js"
import type { Messages } from "../../messages/all.js"
import { english, type Locale, type LocalizedRequest, type Message } from "../../messages/locale.js"
import { lazy } from "../../runtime/cache.js"
import type { Awaitable } from "../../types/basics.js"
import type { Languages } from "../../types/config.js"
import type { Feature, SlotMembers } from "../feature.js"
import { featureFrame } from "../slots.js"
import { type ChooseLanguage, createLanguageChooser } from "./choose.js"

/** A language of the built-in pages and emails. */
export interface Language {
  /** A language tag, RFC 5646, such as `pt-BR`. */
  readonly tag: string
  /** `rtl` for a language that is written from right to left. Default: `ltr`. */
  readonly direction?: "ltr" | "rtl" | undefined
  /** Every message by id. */
  readonly messages: Messages
}

/** A language that is loaded when the first visitor speaks it. */
export interface LazyLanguage extends Pick<Language, "tag"> {
  /** Imports the language. */
  load(): Promise<Language>
}

/** Messages of your own by id. Names in braces are placeholders. */
export type OwnMessages = Readonly<Partial<Messages>>

/** Options of {@link languages}. */
export interface LanguagesOptions {
  /**
   * Returns the language tag of a request, such as the one in a user's settings or in the URL. If it returns undefined, or a
   * language that is not in the list, the browser decides. Default: the browser decides.
   */
  readonly locale?: ((request: Request) => Awaitable<string | undefined>) | undefined
  /**
   * Messages that replace ours, by language tag and id.
   * @example { de: { "signIn.heading": "Willkommen bei {host}" } }
   */
  readonly messages?: Readonly<Record<string, OwnMessages>> | undefined
}

/**
 * Lets the built-in pages and emails speak more languages than English: the value of `languages`. Each visitor gets the
 * language that their browser prefers among these and English. The languages are imported one by one, such as `ptBR` from
 * `@latchkey/core/languages/pt-br`: the path is the tag in lower case, and the export is the tag without its hyphens. Or all
 * at once, as `allLanguages` from `@latchkey/core/languages/all`, which loads each when it is spoken.
 * @example
 * languages: languages([de, fr], { messages: { de: { "signIn.heading": "Willkommen bei {host}" } } })
 */
export function languages(list: readonly (Language | LazyLanguage)[], options: LanguagesOptions = {}): Languages {
  const feature: Languages & Feature = {
    feature: "languages",
    frame: featureFrame,
    validate: () => {
      const mistake = findMistake(list, options)
      return mistake === null ? null : new InvalidConfiguration(`languages: ${mistake}`)
    },
    listIneffective: () => listIneffective(options),
    // Lazy, since wrong options are reported later, on a page in English.
    findLocale: lazyLocales(list, options),
  }
  return Object.freeze(feature)
}

/** Replaced by bundlers. */
declare const process: { readonly env: { readonly NODE_ENV?: string } }

async function listIneffective({ messages }: LanguagesOptions): Promise<readonly string[]> {
  // Written out, so that bundles for production have no English messages of features that the app does not use. Some bundlers
  // keep what follows a `return`.
  if (process.env.NODE_ENV !== "production" && messages !== undefined) {
    const { listIneffectiveMessages } = await import("./own-messages.js")
    return listIneffectiveMessages(messages)
  }
  return []
}

function lazyLocales(
  languages: readonly (Language | LazyLanguage)[],
  { locale, messages = {} }: LanguagesOptions,
): SlotMembers["findLocale"] {
  let known: Locales | undefined
  const getLocales = () => (known ??= toLocales(languages, messages))
  return async (request, report) => {
    try {
      const { locales, choose } = getLocales()
      const tag = choose(await listWishes(request, locale, report)) ?? "en"
      return (await locales.get(tag)?.()) ?? english
    } catch (error) {
      report(toError(error))
      return english
    }
  }
}

interface Locales {
  /** By language tag. */
  readonly locales: ReadonlyMap<string, () => Awaitable<Locale>>
  readonly choose: ChooseLanguage
}

function toLocales(
  languages: readonly (Language | LazyLanguage)[],
  own: NonNullable<LanguagesOptions["messages"]>,
): Locales {
  const ownEnglish: Locale = { ...english, messages: toMessages(own["en"]) }
  const locales = new Map<string, () => Awaitable<Locale>>([["en", () => ownEnglish]])
  for (const language of languages) {
    const toLocale = ({ tag, direction = "ltr", messages }: Language): Locale => ({
      language: tag,
      direction,
      messages: { ...messages, ...toMessages(own[tag]) },
    })
    locales.set(
      language.tag,
      "load" in language ? lazy(async () => toLocale(await language.load())) : lazy(async () => toLocale(language)),
    )
  }
  return { locales, choose: createLanguageChooser([...locales.keys()]) }
}

/** Without those that are undefined. */
function toMessages(messages: OwnMessages = {}): Readonly<Record<string, Message>> {
  const entries: readonly (readonly [string, Message | undefined])[] = Object.entries(messages)
  return Object.fromEntries(entries.flatMap(([id, message]) => (message === undefined ? [] : [[id, message]])))
}

/** The language of the app's choice, then those of the browser. */
async function listWishes(
  request: LocalizedRequest,
  locale: LanguagesOptions["locale"],
  report: (error: Error) => void,
): Promise<readonly string[]> {
  const header = request.headers.get("accept-language") ?? ""
  if (!locale) return [header]
  try {
    const chosen = await locale(toBodilessRequest({ ...request, method: "GET" }))
    return typeof chosen === "string" ? [chosen, header] : [header]
  } catch (error) {
    const err = cleanError(toError(error), [request.url, request.headers])
    report(new AuthError("languages.locale failed", threwIn("languages.locale", err)))
    return [header]
  }
}

/** Completes "languages: ...". */
function findMistake(languages: unknown, options: unknown): string | null {
  if (!Array.isArray(languages)) return "the first argument of languages() must be a list of languages"
  const odd = languages.findIndex((language) => !isLanguage(language))
  if (odd !== -1)
    return `language ${odd + 1} of languages() must be imported from @latchkey/core/languages, or have a tag and messages`
  const tags = ["en", ...languages.map(({ tag }) => tag)]
  const twice = tags.find((tag, n) => tags.indexOf(tag) !== n)
  if (twice !== undefined) return `${twice} is listed twice. English is always spoken`
  const { locale, messages = {} }: { readonly locale?: unknown; readonly messages?: unknown } = Object(options)
  if (locale !== undefined && typeof locale !== "function") return "locale: must be a function"
  if (typeof messages !== "object" || messages === null) return "messages: must be an object"
  for (const [tag, own] of Object.entries(messages)) {
    if (!tags.includes(tag)) return `messages.${tag}: this language is not spoken. Pass it to languages()`
    const wrong = Object.entries(Object(own)).find(([, message]) => !isMessage(message))
    if (wrong) return `messages.${tag}: the message ${wrong[0]} must be text, or an object of texts with "other"`
  }
  return null
}

function isLanguage(language: unknown): boolean {
  const { tag, messages, load }: { readonly tag?: unknown; readonly messages?: unknown; readonly load?: unknown } =
    Object(language)
  const hasMessages = typeof messages === "object" && messages !== null
  return isTag(tag) && (hasMessages || typeof load === "function")
}

function isTag(tag: unknown): boolean {
  try {
    return typeof tag === "string" && Intl.getCanonicalLocales(tag)[0] === tag
  } catch {
    return false // Not a language tag.
  }
}

function isMessage(message: unknown): boolean {
  if (message === undefined || typeof message === "string") return true
  const forms: readonly unknown[] = Object.values(Object(message))
  return forms.every((form) => typeof form === "string") && typeof Object(message).other === "string"
}
