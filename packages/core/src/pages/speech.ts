import { directionOf, type Language, toLanguage } from "./language.js"
import type { PageFrame } from "./page-frame.js"
import { phrase, type WordId } from "./words.js"

/** The words of one page: the frame's language, with the site's name filled in wherever a sentence has `{host}`. */
export interface Speech {
  readonly language: Language
  readonly direction: "ltr" | "rtl"
  say(id: WordId, values?: Readonly<Record<string, string>>): string
}

export function createSpeech(frame: PageFrame): Speech {
  const language = toLanguage(frame.language)
  return {
    language,
    direction: directionOf(language),
    say: (id, values) => phrase(language, id, { host: frame.siteName, ...values }),
  }
}
