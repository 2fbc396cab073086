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

/** The parts of a request that decide its language. They exist even if the request could not be read completely. */
export interface SpokenTo {
  readonly url: URL
  readonly headers: Iterable<[name: string, value: string]> & {
    get(name: string): string | null
    has(name: string): boolean
  }
}

/** Finds the sentences of a request. Undefined without the option `languages`: English. */
export type FindSpeech = (request: SpokenTo) => Speech | Promise<Speech> | undefined

/** The part of `languages` that finds the sentences of a request. */
export interface SpeechFinder {
  /**
   * Never fails: a visitor would see no page.
   * @param report Gets the errors of the host's own functions.
   */
  findSpeech(request: SpokenTo, report: (error: Error) => void): Speech | Promise<Speech>
}
