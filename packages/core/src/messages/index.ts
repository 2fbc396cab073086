// Imported as `@latchkey/core/languages`: the languages of the built-in pages and mails.

export { type Language, type LanguagesOptions, type LazyLanguage, languages, type OwnWords } from "./speak.js"
export type { Plural, Sentence } from "./speech.js"
export type { Sentences } from "./words.js"
