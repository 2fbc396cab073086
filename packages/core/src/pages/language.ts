/** The languages of the message catalog. The first is the fallback. */
const availableLanguages = ["en"] as const

export type Language = (typeof availableLanguages)[number]

/**
 * The best available language for an `Accept-Language` header, RFC 9110 section 12.5.4. A region that is not available
 * falls back to its language (`en-GB` to `en`), RFC 4647 section 3.4.
 */
export function chooseLanguage(acceptLanguage: string | null | undefined): Language {
  return chooseAmong(availableLanguages, acceptLanguage ?? "") ?? availableLanguages[0]
}

/** The catalog's language for a language tag: the fallback if the catalog does not have it. */
export function toLanguage(tag: string): Language {
  return chooseAmong(availableLanguages, tag) ?? availableLanguages[0]
}

/**
 * The same choice from any list of languages; undefined if none of them is acceptable.
 * @internal Exported for its test.
 */
export function chooseAmong<L extends string>(languages: readonly L[], acceptLanguage: string): L | undefined {
  for (const tag of parseRanges(acceptLanguage)) {
    const found = languages.find((language) => language === tag || language === primarySubtag(tag))
    if (found !== undefined) return found
  }
  return undefined
}

/** Language ranges in lower case, sorted by preference, without those that have `q=0`. */
function parseRanges(header: string): readonly string[] {
  return header
    .toLowerCase()
    .split(",")
    .map(parseRange)
    .filter(({ tag, quality }) => tag !== "" && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}

function parseRange(range: string): { readonly tag: string; readonly quality: number } {
  const [tag = "", ...parameters] = range.split(";").map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith("q="))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { tag, quality: Number.isFinite(quality) ? quality : 0 }
}

/** Primary subtags of the languages that are written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"])

/** The value of the `dir` attribute for a language tag. */
export function directionOf(tag: string): "ltr" | "rtl" {
  return rightToLeft.has(primarySubtag(tag.toLowerCase())) ? "rtl" : "ltr"
}

function primarySubtag(tag: string): string {
  return tag.split("-", 1)[0] ?? tag
}
