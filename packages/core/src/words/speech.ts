/** A sentence that depends on a number, by the categories of `Intl.PluralRules`. `{count}` is the number. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> & { readonly other: string }

/** Names in braces are placeholders. */
export type Sentence = string | Plural

/** The sentences of a request. */
export interface Speech {
  /** A language tag, RFC 5646. */
  readonly language: string
  readonly direction: "ltr" | "rtl"
  /** What replaces the English sentences. */
  readonly sentences: Readonly<Record<string, Sentence>>
}

/** The speech of a host without the option `languages`. */
export const english: Speech = { language: "en", direction: "ltr", sentences: {} }
