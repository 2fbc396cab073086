// Writes the `references` of every tsconfig.json from the dependencies in the manifests, so that `tsc -b` builds them in order.
// `--check` writes nothing and fails where one is stale.
import { readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { workspaces } from "./packages.mjs"

const root = join(import.meta.dirname, "..")
const pattern = /"references": \[[^\]]*\]/

const wanted = [
  { folder: ".", dependencies: workspaces.map(({ folder }) => folder) },
  ...workspaces.filter(({ dependencies }) => dependencies.length > 0),
]

function isStale({ folder, dependencies }) {
  const file = join(folder, "tsconfig.json")
  const text = readFileSync(join(root, file), "utf8")
  if (!pattern.test(text)) throw new Error(`${file}: write "references": [] into it`)
  const paths = dependencies.map(
    (dependency) => `    { "path": "${relative(folder, dependency).replaceAll("\\", "/")}" }`,
  )
  const fresh = text.replace(pattern, `"references": [\n${paths.join(",\n")}\n  ]`)
  if (fresh.replace(/\s/g, "") === text.replace(/\s/g, "")) return false
  if (!process.argv.includes("--check")) writeFileSync(join(root, file), fresh)
  return true
}

const stale = wanted.filter(isStale).map(({ folder }) => join(folder, "tsconfig.json"))
if (process.argv.includes("--check")) {
  for (const file of stale) console.error(`${file}: stale references. Run: npm run generate -- references`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  console.log(`project references: wrote ${stale.join(", ") || "nothing new"}`)
}
