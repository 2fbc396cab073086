// Imported as `@latchkey/core/languages`: the languages of the built-in pages and emails.

export type { Messages } from "../../messages/all.js"
export type { Message, Plural } from "../../messages/locale.js"
export { type Language, type LanguagesOptions, type LazyLanguage, languages, type OwnMessages } from "./languages.js"
