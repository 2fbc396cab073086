import { pageWords } from "../words/pages.js"
import type { Speech } from "../words/speech.js"
import { createWords, type Words } from "../words/words.js"

export type MessageId = keyof typeof pageWords

/** The sentences of one page, in the language of its frame. */
export interface Translator extends Pick<Speech, "language" | "direction"> {
  readonly translate: Words<typeof pageWords>
}

/** `{host}` is the name of the site unless another value is given. */
export function createTranslator({
  speech,
  siteName,
}: {
  readonly speech: Speech
  readonly siteName: string
}): Translator {
  return { ...speech, translate: createWords(pageWords, "", speech, { host: siteName }) }
}
