import { Fragment } from "preact"
import { renderToString } from "preact-render-to-string"
import { randomHex } from "../crypto/random.js"

/** Puts a visitor's own values, none of them empty, into a page that was printed before. They are escaped. */
export type FillIn<Blank extends string> = (values: Readonly<Record<Blank, string>>) => string

/**
 * Prints a page once for many visitors: all of it is the same for them, but for some values in its forms.
 *
 * @param blanks Names of those values.
 * @param print Renders the page with the texts it is given in place of the values.
 */
export function printWithBlanks<Blank extends string>(
  blanks: readonly Blank[],
  print: (texts: Readonly<Record<Blank, string>>) => string,
): FillIn<Blank> {
  // Nothing that a host or a visitor writes can look like one of these.
  const texts = new Map(blanks.map((blank) => [blank, `blank${randomHex(16)}`]))
  // Each blank has its text, as the line above shows.
  const printed = print(Object.fromEntries(texts) as Record<Blank, string>)
  const pieces = cut(printed, texts)
  return (values) => {
    const escaped = new Map(blanks.map((blank) => [blank, toMarkup(values[blank])]))
    let page = ""
    for (const { before, blank } of pieces) page += before + (blank === undefined ? "" : escaped.get(blank))
    return page
  }
}

interface Piece<Blank> {
  readonly before: string
  /** Undefined after the last one. */
  readonly blank: Blank | undefined
}

function cut<Blank>(printed: string, texts: ReadonlyMap<Blank, string>): readonly Piece<Blank>[] {
  const blanksByText = new Map([...texts].map(([blank, text]) => [text, blank]))
  // The texts are letters and digits alone. In the split they stand at each odd place.
  const parts = printed.split(new RegExp(`(${[...texts.values()].join("|")})`))
  return parts.flatMap((before, at) => (at % 2 === 0 ? [{ before, blank: blanksByText.get(parts[at + 1] ?? "") }] : []))
}

/** As the renderer writes texts and attributes. */
function toMarkup(value: string): string {
  return renderToString(<Fragment>{value}</Fragment>)
}
