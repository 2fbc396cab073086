// Copies the committed pages of the documentation into the site, and rewrites their links from files to pages.
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { published } from "../../scripts/packages.mjs"

export const root = join(import.meta.dirname, "..", "..")
/** Everything in here is generated, so VitePress sees the finished pages only. */
export const site = join(root, "docs", "generated", "site")

const others = {
  "CONTRIBUTING.md": "project/contributing.md",
  "SECURITY.md": "project/security-policy.md",
  "bench/README.md": "project/bench.md",
  "test/compat/README.md": "project/compat.md",
}

/** From files of the repository to pages of the site. */
function mapFiles() {
  const inDocs = globSync("docs/**/*.md", { cwd: root, exclude: ["docs/generated/**", "docs/node_modules/**"] })
  const pages = inDocs.map((file) => {
    const path = posix.relative("docs", file.replaceAll("\\", "/"))
    return [`docs/${path}`, path.replace(/README\.md$/, "index.md")]
  })
  const readmes = published.map((folder) => [`${folder}/README.md`, `${folder}.md`])
  return new Map([...pages, ...readmes, ...Object.entries(others)])
}

/** Writes a page of the site. `path` ends with `.md`. */
export function writePage(path, text) {
  const file = join(site, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${text.trimEnd()}\n`)
}

const fences = /^ *```[^\n]*\n[\s\S]*?^ *```$|``[^\n]*?``|`[^`\n]*`/gm
const links = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g

/** Applies `change` to the text, with a mark of the private use area in place of each piece of code. */
function outsideCode(text, change) {
  const codes = text.match(fences) ?? []
  let next = 0
  return change(text.replace(fences, "\uE000")).replace(/\uE000/g, () => codes[next++] ?? "")
}

/** A drawing as part of the page, where it follows the color scheme that the visitor has chosen. */
function toFigure(path) {
  const svg = readFileSync(join(root, path), "utf8").replace(/<style>[\s\S]*?<\/style>/, "")
  return `<figure class="plot" tabindex="0" role="group" aria-label="Plot">${svg.replace(/\n\s*/g, "")}</figure>`
}

/**
 * The text with its links rewritten for the site. A link to a source file, which the site does not have, becomes plain
 * text. Angle brackets outside code are text in our pages, and would be tags of Vue.
 */
function toPage(text, file, pages) {
  const target = pages.get(file)
  const rewrite = (whole, mark, words, href) => {
    if (/^(?:[a-z]+:|#)/.test(href)) return whole
    const [path, hash = ""] = href.split(/(?=#)/)
    const absolute = posix.normalize(path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(file), path))
    if (mark === "!" && absolute.endsWith(".svg") && existsSync(join(root, absolute))) return toFigure(absolute)
    const page = pages.get(absolute) ?? pages.get(posix.join(absolute, "README.md"))
    if (page === undefined) return words
    const relative = posix.relative(posix.dirname(target), page)
    return `${mark}[${words}](${relative.startsWith(".") ? relative : `./${relative}`}${hash})`
  }
  return outsideCode(text, (prose) => prose.replace(links, rewrite).replaceAll("{{", "&#123;&#123;"))
}

/** Returns the paths of the pages, without those that are generated. */
export function copyPages() {
  const pages = mapFiles()
  for (const [file, page] of pages) writePage(page, toPage(readFileSync(join(root, file), "utf8"), file, pages))
  return [...pages.values()]
}
