/** A message that depends on a number, by the categories of `Intl.PluralRules`. `{count}` is the number. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** A sentence or a label. Names in braces are placeholders. */
export type Message = string | Plural

/** The language of a request, and its messages. */
export interface Locale {
  /** A language tag, RFC 5646. */
  readonly language: string
  readonly direction: "ltr" | "rtl"
  /** What replaces the English messages. */
  readonly messages: Readonly<Record<string, Message>>
}

/** The locale of an app without the option `languages`. */
export const english: Locale = { language: "en", direction: "ltr", messages: {} }

/** The parts of a request that decide its language. They exist even if the request could not be read completely. */
export interface LocalizedRequest {
  readonly url: URL
  readonly headers: Iterable<[name: string, value: string]> & {
    get(name: string): string | null
    has(name: string): boolean
  }
}

/** Finds the locale of a request. Undefined without the option `languages`: English. */
export type FindLocale = (request: LocalizedRequest) => Locale | Promise<Locale> | undefined
