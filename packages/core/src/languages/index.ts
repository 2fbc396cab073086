// Imported as `@latchkey/core/languages`: the languages of the built-in pages and mails.
export type { Plural, Sentence } from "../words/speech.js"
export type { Sentences } from "../words/words.js"
export { type Language, type LazyLanguage, type OwnWords, type SpeakOptions, speak } from "./speak.js"
