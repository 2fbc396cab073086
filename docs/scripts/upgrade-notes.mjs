// Writes the page of upgrade notes: what the next release contains, from the changesets, and what earlier ones changed, from
// the changelog of the core, which has the same versions as all packages.
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root, writePage } from "./pages.mjs"

/** Headings inside a changeset or changelog become paragraphs: the headings of the page are the versions. */
const flatten = (text) => text.replace(/^#+ (.*)$/gm, "**$1**").trim()

/** The text of a changeset, without the packages that it names. */
const readChangeset = (file) => readFileSync(join(root, file), "utf8").replace(/^---\n[\s\S]*?\n---\n/, "")

function readReleases() {
  const file = join(root, "packages", "core", "CHANGELOG.md")
  if (!existsSync(file)) return []
  const [, ...parts] = readFileSync(file, "utf8").split(/^## /m)
  return parts.map((part) => {
    const [version = "", ...lines] = part.split("\n")
    return `## ${version.trim()}\n\n${flatten(lines.join("\n"))}`
  })
}

/** Returns the path of the page. */
export function writeUpgradeNotes() {
  const pending = globSync(".changeset/*.md", { cwd: root })
    .filter((file) => !file.endsWith("README.md"))
    .sort()
    .map((file) => flatten(readChangeset(file)))
  const next = pending.length > 0 ? [`## Next release\n\n${pending.join("\n\n")}`] : []
  const intro =
    "What each release changed for its users. A change that an app has to follow begins with **Upgrade:**, and says what to write instead. [Versions and support](../support.md) says which versions may have such changes."
  writePage("project/upgrade-notes.md", `# Upgrade notes\n\n${intro}\n\n${[...next, ...readReleases()].join("\n\n")}`)
  return "project/upgrade-notes.md"
}
