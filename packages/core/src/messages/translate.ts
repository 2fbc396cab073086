import type { Locale, Message, Plural } from "./locale.js"

/** The messages of a page, an email or a feature, in English. */
type MessageList = Readonly<Record<string, Message>>

/** Values of placeholders. Numbers are written as the language writes them. */
export type MessageValues = Readonly<Record<string, string | number | undefined>>

/** Returns a message of a list in the language of a request, with its placeholders filled in. */
export type Translate<List> = (id: keyof List & string, values?: MessageValues) => string

/**
 * Translates the messages of a list.
 * @param list The messages in English.
 * @param prefix What their ids in `Messages` start with.
 * @param common Values for every message.
 */
export function translateFrom<List extends MessageList>(
  list: List,
  prefix: string,
  locale: Locale,
  common: MessageValues = {},
): Translate<List> {
  const { language, messages } = locale
  return (id, values) => {
    const all: MessageValues = { ...common, ...values }
    const message: Message = messages[prefix + id] ?? list[id] ?? ""
    return fillIn(typeof message === "string" ? message : choose(message, Number(all["count"]), language), all, locale)
  }
}

function choose(plural: Plural, count: number, language: string): string {
  return plural[new Intl.PluralRules(language).select(count)] ?? plural.other
}

/** Replaces the placeholders as they are: braces in a value stay. Missing values become empty. */
function fillIn(message: string, values: MessageValues, locale: Locale): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ""
    if (typeof value === "number") return new Intl.NumberFormat(locale.language).format(value)
    return personal.has(name) ? isolate(value, locale) : value
  })
}

/** The placeholders whose values do not come from the service: addresses, names, and what looks like a code. */
const personal: ReadonlySet<string> = new Set(["address", "email", "account", "name", "device", "text", "reference"])

/** Letters that are written from right to left, and characters that change the direction. */
const turning = /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/
const isolates = /[\u2066-\u2069]/g

/**
 * A text in whatever language, so that it does not reorder the sentence around it: UAX #9 section 6.3, first strong isolate. On
 * a page, it becomes a `bdi`. A text that reads in the direction of the sentence stays as it is.
 */
export function isolate(text: string, { direction }: Pick<Locale, "direction">): string {
  if (text === "" || (direction === "ltr" && !turning.test(text))) return text
  return `\u2068${text.replace(isolates, "")}\u2069`
}
