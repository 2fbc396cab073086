// What the search index has of each page. Runs while the site is built.
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { fields, storeFields, tokenize, toTerms } from "./terms.mjs"

const folder = new URL("../../search-words/", import.meta.url)
const readWords = (file) => JSON.parse(readFileSync(new URL(file, folder), "utf8"))

/** What the first section of each page of a folder answers. */
const ofFolders = readWords("folders.json")

/** Questions that a section answers in other words than its own, by the path of its page and its heading. */
const questions = Object.assign({}, ...globSync("*.json", { cwd: folder, exclude: ["folders.json"] }).map(readWords))

function assertHeadings(html, path) {
  for (const heading of Object.keys(questions[path] ?? {}))
    if (!html.includes(` id="${heading}"`)) throw new Error(`docs/search-words: ${path} has no heading #${heading}`)
}

/**
 * All of a page, but of the API reference only the names, which are headings. They would otherwise fill the index and
 * outrank the guides.
 */
export function renderForSearch(source, env, markdown) {
  const html = markdown.render(source, Object.assign(env, { isIndex: true }))
  if (env.frontmatter?.search === false || env.relativePath === "security-cases.md") return ""
  assertHeadings(html, env.relativePath)
  return env.relativePath.startsWith("api/") ? (html.match(/<h[123][\s\S]*?<\/h[123]>/g) ?? []).join("\n") : html
}

/** The questions of a section, one a line. Its id is the address of the page and the heading. */
function readQuestions({ id, title, titles }) {
  const [page, heading] = id.split("#")
  const path = page
    .slice(1)
    .replace(/(^|\/)$/, "$1index")
    .replace(/(?:\.html)?$/, ".md")
  const common = titles.length === 0 ? (ofFolders[path.split("/")[0]] ?? []) : []
  const name = title.replace(/^Start with /, "")
  return [...common.map((text) => text.replace("{name}", name)), ...(questions[path]?.[heading] ?? [])].join("\n")
}

/** Options of MiniSearch. The functions are called here, because the theme gives their text to browsers, too. */
export const indexOptions = {
  fields,
  storeFields,
  tokenize: (text) => tokenize(text),
  processTerm: (word) => toTerms(word),
  extractField: (section, field) => (field === "questions" ? readQuestions(section) : section[field]),
}

/** Lets the search box of the theme rank pages, by search.mjs, where it would rank sections by MiniSearch. */
export const rankPages = {
  name: "rank-pages",
  enforce: "pre",
  resolveId: (id, importer) =>
    id === "minisearch" && importer?.includes("VPLocalSearchBox")
      ? fileURLToPath(new URL("search.mjs", import.meta.url))
      : null,
}
