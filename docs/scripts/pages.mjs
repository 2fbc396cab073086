// Copies the committed pages of the documentation into the site, and rewrites their links from files to pages.
import { spawnSync } from "node:child_process"
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
  const inDocs = globSync("docs/**/*.md", {
    cwd: root,
    exclude: ["docs/dist/**", "docs/generated/**", "docs/node_modules/**"],
  })
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

/** When each file was committed last, in milliseconds. Empty outside a clone, as in an unpacked archive. */
function readDates() {
  const { stdout } = spawnSync("git", ["log", "--format=%x00%ct", "--name-only", "--", "*.md"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  })
  const commits = (stdout ?? "").split("\0").map((text) => text.split("\n").filter((line) => line !== ""))
  // The newest commit comes first, so the oldest is written first and replaced.
  return new Map(commits.reverse().flatMap(([time, ...files]) => files.map((file) => [file, Number(time) * 1000])))
}

/** Writes where each page comes from and when it changed, for .vitepress/config.mjs. */
function writeSources(pages) {
  const dates = readDates()
  const sources = [...pages].map(([file, page]) => [page, { file, updated: dates.get(file) }])
  writeFileSync(join(site, "..", "sources.json"), JSON.stringify(Object.fromEntries(sources)))
}

/** The table of measurements, which the README has, in place of its mark on the front page. */
function withComparison(text) {
  const [, table] =
    readFileSync(join(root, "README.md"), "utf8").match(/<!-- compare:.*?-->\n([\s\S]*?)<!-- \/compare -->/) ?? []
  if (table === undefined) throw new Error("README.md has no comparison")
  return text.replace("<!-- comparison -->", table.trim().replaceAll("](docs/", "]("))
}

/** Returns the paths of the pages, without those that are generated. */
export function copyPages() {
  const pages = mapFiles()
  mkdirSync(site, { recursive: true })
  writeSources(pages)
  for (const [file, page] of pages) {
    const text = readFileSync(join(root, file), "utf8")
    writePage(page, toPage(file === "docs/index.md" ? withComparison(text) : text, file, pages))
  }
  return [...pages.values()]
}
