// The page of what the log can have: the warnings with their sentences, and the kinds of audit records.
import { existsSync, globSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { readElements, readUnion } from "./declarations.mjs"
import { root, writePage } from "./pages.mjs"
import { prose, table } from "./tables.mjs"

/** From the title of a guide to its path. */
export function readTitles() {
  const files = ["concepts", "cookbook", "guides", "options"].flatMap((folder) =>
    globSync(`docs/${folder}/*.md`, { cwd: root }),
  )
  return new Map(
    files.map((file) => [
      readFileSync(join(root, file), "utf8")
        .match(/^# (.*)$/m)?.[1]
        ?.replaceAll("`", ""),
      posix.relative("docs", file.replaceAll("\\", "/")),
    ]),
  )
}

const toAnchor = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-")

/** A link to a guide and its section, from a page of the reference. */
export function linkToGuide([title, section], titles) {
  const path = titles.get(title)
  if (path === undefined || !existsSync(join(root, "docs", path))) throw new Error(`There is no guide "${title}"`)
  const headings = [...readFileSync(join(root, "docs", path), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text]) =>
    text.replaceAll("`", ""),
  )
  if (section !== undefined && !headings.includes(section.replaceAll("`", "")))
    throw new Error(`"${title}" has no section "${section}"`)
  return `[${title}](../${path}${section === undefined ? "" : `#${toAnchor(section)}`})`
}

/** The sentence that the console prints, with a link in place of the name of the guide. */
function linkGuide(sentence, titles) {
  const guide = /See the guide "([^"]+)"(?:, section "([^"]+)")?\.$/
  return prose(sentence).replace(guide, (_, title, section) => `${linkToGuide([title, section], titles)}.`)
}

/** Returns the path of the page. */
export function writeLogReference({ describeWarning }) {
  const titles = readTitles()
  const codes = readUnion("types/logger.ts", "WarningCode").filter((code) => code !== "experimental-webauthn")
  const warnings = codes.toSorted().map((code) => `### \`${code}\`\n\n${linkGuide(describeWarning(code), titles)}`)
  const successes = readUnion("types/logger.ts", "SuccessKind").toSorted()
  const failures = readElements("errors/auth-error.ts", "failureKinds")
  writePage(
    "reference/log.md",
    [
      "# Log",
      "What the service logs besides errors. [Errors and logging](../guides/errors.md) explains the log and the audit records.",
      "## Warnings",
      "Each is logged once. Your own `logger.warn` gets the code.",
      ...warnings,
      "## Records of successes",
      'The `kind` of the records that `logger.record` gets with `outcome: "success"`:',
      successes.map((kind) => `\`${kind}\``).join(", "),
      "## Records of failures",
      'The `kind` of the records with `outcome: "failure"`:',
      table(
        ["kind", "failure"],
        failures.map(({ value, comment }) => [`\`${value}\``, prose(comment)]),
      ),
    ].join("\n\n"),
  )
  return "reference/log.md"
}
