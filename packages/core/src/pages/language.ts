/** What the catalogue of words has. The first is spoken when none fits. */
const availableLanguages = ["en"] as const

export type Language = (typeof availableLanguages)[number]

/** Primary subtags of the languages that are written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(["ar", "ckb", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"])

/**
 * The best of the available languages for an `Accept-Language` header, RFC 9110 section 12.5.4. A region that is not
 * available falls back to its language (`en-GB` to `en`), RFC 4647 section 3.4.
 */
export function chooseLanguage(acceptLanguage: string | null | undefined): Language {
  return chooseAmong(availableLanguages, acceptLanguage ?? "") ?? availableLanguages[0]
}

/**
 * The same choice among any languages; undefined when none of them is acceptable.
 * @internal Exported for its test.
 */
export function chooseAmong<L extends string>(languages: readonly L[], acceptLanguage: string): L | undefined {
  for (const tag of parseRanges(acceptLanguage)) {
    const found = languages.find((language) => language === tag || language === primary(tag))
    if (found !== undefined) return found
  }
  return undefined
}

/** A language of the catalogue, whatever a frame says. */
export function toLanguage(language: string): Language {
  return chooseAmong(availableLanguages, language) ?? availableLanguages[0]
}

/** The value of `dir` that goes with a language tag. */
export function directionOf(language: string): "ltr" | "rtl" {
  return rightToLeft.has(primary(language.toLowerCase())) ? "rtl" : "ltr"
}

/** Language ranges in lower case, the preferred first; those with `q=0` are left out. */
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

function primary(tag: string): string {
  return tag.split("-", 1)[0] ?? tag
}
