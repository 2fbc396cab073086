/** No browser sends a longer list. */
const maxRanges = 32
/** RFC 5646 section 4.4.1: 35 characters are enough for every tag without extensions. Parsing a long one takes long. */
const maxTagLength = 64

/**
 * Chooses the best available language. Undefined if none fits.
 * @param wishes Values of `Accept-Language`, RFC 9110 section 12.5.4; the first has precedence.
 */
export type ChooseLanguage = (wishes: readonly string[]) => string | undefined

/** @param available Language tags in canonical form. */
export function createLanguageChooser(available: readonly string[]): ChooseLanguage {
  // Once, since it takes longer than everything else. Of two tags with one script, the first is kept.
  const byScript = new Map(available.map((tag) => [toScript(new Intl.Locale(tag)), tag] as const).reverse())
  return (wishes) => {
    for (const range of wishes.flatMap(parseRanges)) {
      const found = lookUp(range, available, byScript)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** Language ranges by preference, without those that have `q=0`. */
function parseRanges(header: string): readonly string[] {
  return header
    .split(",", maxRanges)
    .map(parseRange)
    .filter(({ tag, quality }) => tag !== "" && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}

function parseRange(range: string): { readonly tag: string; readonly quality: number } {
  const [tag = "", ...parameters] = range.split(";").map((part) => part.trim())
  const weight = parameters.find((parameter) => /^q=/i.test(parameter))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { tag, quality: Number.isFinite(quality) ? quality : 0 }
}

/**
 * RFC 4647 section 3.4: the tag itself, then each shorter one. If none is available, a language that is written the same
 * way: someone who reads `pt-PT` reads `pt-BR` rather than English, but `zh-TW` is not `zh-Hans`.
 */
function lookUp(
  range: string,
  available: readonly string[],
  byScript: ReadonlyMap<string, string>,
): string | undefined {
  const wish = toLocale(range)
  if (!wish) return undefined
  const parts = wish.baseName.split("-")
  for (let length = parts.length; length > 0; length--) {
    const tag = parts.slice(0, length).join("-")
    if (available.includes(tag)) return tag
  }
  return byScript.get(toScript(wish))
}

function toLocale(range: string): Intl.Locale | undefined {
  if (range.length > maxTagLength) return undefined
  try {
    return new Intl.Locale(range)
  } catch {
    return undefined // `*`, or not a language tag.
  }
}

/** Language and script, such as `zh-Hans`. */
function toScript(locale: Intl.Locale): string {
  const { language, script } = locale.maximize()
  return `${language}-${script}`
}
