// Every link between pages of the built site leads to a page, and every anchor to an element of it. The links of the
// committed pages also have to lead to files, so that they work on the forge.
import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import { root } from "./pages.mjs"
import { dist } from "./serve.mjs"

const problems = []

const decode = (text) =>
  text.replace(/&(amp|quot|lt|gt|#39);/g, (_, name) => ({ amp: "&", quot: '"', lt: "<", gt: ">" })[name] ?? "'")

/** The ids of a page, and the addresses that it links to or loads. */
function readBuiltPage(file) {
  const html = readFileSync(join(dist, file), "utf8").replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, "")
  const attributes = (name) =>
    [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, "g"))].map(([, text]) => decode(text))
  return { ids: new Set(attributes("id")), links: [...attributes("href"), ...attributes("src")] }
}

const files = globSync("**/*.html", { cwd: dist }).map((file) => file.replaceAll("\\", "/"))
const built = new Map(files.map((file) => [file, readBuiltPage(file)]))
let count = 0

function findPage(path) {
  return [path, `${path}.html`, posix.join(path, "index.html")].find((each) => built.has(each))
}

function checkBuiltLink(from, link) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return
  count += 1
  const { pathname, hash } = new URL(link, `http://site/${from}`)
  const path = decodeURIComponent(pathname).slice(1)
  const page = findPage(path)
  if (page === undefined) {
    if (!existsSync(join(dist, path))) problems.push(`${from}: ${link} leads to no page`)
  } else if (hash !== "" && !built.get(page).ids.has(decodeURIComponent(hash.slice(1)))) {
    problems.push(`${from}: ${link} leads to no element of ${page}`)
  }
}

for (const [from, { links }] of built) for (const link of new Set(links)) checkBuiltLink(from, link)

/** The committed pages, without code. */
const committed = globSync("docs/**/*.md", {
  cwd: root,
  exclude: ["docs/generated/**", "docs/node_modules/**", "docs/dist/**"],
})
for (const file of committed) {
  const text = readFileSync(join(root, file), "utf8").replace(/^ *```[^\n]*\n[\s\S]*?^ *```$|`[^`\n]*`/gm, "")
  for (const [, href] of text.matchAll(/\]\(([^()\s]+)\)/g)) {
    if (/^(?:[a-z]+:|#|\/)/.test(href)) continue
    count += 1
    if (!existsSync(join(root, dirname(file), href.replace(/#.*/, ""))))
      problems.push(`${file}: ${href} leads to no file`)
  }
}

for (const problem of problems) console.error(problem)
console.log(`links: ${count} in ${built.size} pages, ${problems.length} broken`)
process.exit(problems.length > 0 || count === 0 ? 1 : 0)
