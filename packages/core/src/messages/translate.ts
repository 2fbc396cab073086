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
  { language, messages }: Locale,
  common: MessageValues = {},
): Translate<List> {
  return (id, values) => {
    const all: MessageValues = { ...common, ...values }
    const message: Message = messages[prefix + id] ?? list[id] ?? ""
    return fillIn(
      typeof message === "string" ? message : choose(message, Number(all["count"]), language),
      all,
      language,
    )
  }
}

function choose(plural: Plural, count: number, language: string): string {
  return plural[new Intl.PluralRules(language).select(count)] ?? plural.other
}

/** Replaces the placeholders as they are: braces in a value stay. Missing values become empty. */
function fillIn(message: string, values: MessageValues, language: string): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ""
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value
  })
}
