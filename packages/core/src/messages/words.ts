import type { accountWords } from "./account.js"
import type { accountDataWords } from "./account-data.js"
import type { accountMailWords } from "./account-mails.js"
import type { mailWords } from "./mail.js"
import type { nativeWords } from "./native.js"
import type { pageWords } from "./pages.js"
import type { passkeyWords } from "./passkeys.js"
import type { passwordMailWords } from "./password-mails.js"
import type { passwordWords } from "./passwords.js"
import type { factorWords } from "./second-factors.js"
import type { Plural, Sentence, Speech } from "./speech.js"

/** The sentences of one part of the service, in English. */
type WordList = Readonly<Record<string, Sentence>>

type Prefixed<Prefix extends string, Words> = {
  readonly [Id in keyof Words & string as `${Prefix}.${Id}`]: Words[Id] extends string ? string : Plural
}

/**
 * Every sentence of the built-in pages and mails by id, in one language. Only types are imported here, so that a host
 * bundles the English sentences of the features that it uses.
 */
export type Sentences = { readonly [Id in keyof typeof pageWords]: string } & Prefixed<"passkey", typeof passkeyWords> &
  Prefixed<"mail", typeof mailWords> &
  Prefixed<"password", typeof passwordWords> &
  Prefixed<"passwordMail", typeof passwordMailWords> &
  Prefixed<"factor", typeof factorWords> &
  Prefixed<"native", typeof nativeWords> &
  Prefixed<"account", typeof accountWords> &
  Prefixed<"accountData", typeof accountDataWords> &
  Prefixed<"accountMail", typeof accountMailWords>

/** Values of placeholders. Numbers are written as the language writes them. */
export type WordValues = Readonly<Record<string, string | number | undefined>>

/** The sentences of one part of the service, in the language of a request. */
export type Words<List> = (id: keyof List & string, values?: WordValues) => string

/**
 * @param list The sentences in English.
 * @param prefix What their ids in `Sentences` start with.
 * @param common Values for every sentence.
 */
export function createWords<List extends WordList>(
  list: List,
  prefix: string,
  { language, sentences }: Speech,
  common: WordValues = {},
): Words<List> {
  return (id, values) => {
    const all: WordValues = { ...common, ...values }
    const sentence: Sentence = sentences[prefix + id] ?? list[id] ?? ""
    return fillIn(
      typeof sentence === "string" ? sentence : choose(sentence, Number(all["count"]), language),
      all,
      language,
    )
  }
}

function choose(plural: Plural, count: number, language: string): string {
  return plural[new Intl.PluralRules(language).select(count)] ?? plural.other
}

/** Replaces the placeholders as they are: braces in a value stay. Missing values become empty. */
function fillIn(sentence: string, values: WordValues, language: string): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? ""
    return typeof value === "number" ? new Intl.NumberFormat(language).format(value) : value
  })
}
