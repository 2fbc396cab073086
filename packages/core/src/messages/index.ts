// Imported as `@latchkey/core/languages`: the languages of the built-in pages and emails.

export type { Messages } from "./all.js"
export { type Language, type LanguagesOptions, type LazyLanguage, languages, type OwnMessages } from "./languages.js"
export type { Message, Plural } from "./locale.js"
