import { de } from "./texts.de"
import { en, type Texts } from "./texts.en"

export type { Texts }

const languages: Readonly<Record<string, Texts>> = { en, de }

/** @param language its tag, such as `de`. English where there are no texts in it. */
export const findTexts = (language = "en"): Texts => languages[language] ?? en
