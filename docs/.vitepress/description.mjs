// What a page says about itself where others show a link to it: its first sentences, as plain text.

/** Headings, tables, markup, pictures, callouts and lists. */
const isNoParagraph = /^(?:#|\||<|!\[|>|[-*] |\d+\. |:::)/
/** Paragraphs that say nothing about the subject of their page. */
const isAside = /^(?:Date: |Status: |The packages are not on the npm registry|The package's README)/
/** In characters. */
const [shortest, longest] = [40, 160]

/** Link texts, code and emphasis without their marks. */
const toText = (markdown) =>
  markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, "")
    .replace(/\[((?:[^[\]]|\[[^\]]*\])*)\]\([^)]*\)/g, "$1")
    .replace(/`([^`]*)`|<[^>]+>/g, (_, code = "") => code)
    .replace(/\*{1,2}(?=\S)([^*]+)\*{1,2}/g, "$1")
    .replace(/\\([<>|*_])/g, "$1")
    .replaceAll("&#123;", "{")
    .replace(/\s+/g, " ")
    .trim()

/** The first sentences of the first paragraph, at least one. Undefined for a page that begins with less than a sentence. */
export function describe(source) {
  const prose = source.replace(/^---\n[\s\S]*?\n---\n/, "").replace(/^ *```[\s\S]*?^ *```$/gm, "")
  const paragraph = prose
    .split(/\n{2,}/)
    .filter((block) => !isNoParagraph.test(block.trim()))
    .map(toText)
    .find((text) => text !== "" && !isAside.test(text))
  if (paragraph === undefined || paragraph.length < shortest) return undefined
  const [first, ...others] = paragraph.split(/(?<=[.!?])\s+(?=[^a-z])/)
  let text = first
  for (const next of others) {
    if (text.length + next.length >= longest) break
    text += ` ${next}`
  }
  return text.replace(/:$/, ".")
}
