// Writes docs/security-cases.md: what is promised (docs/security-cases.json) and which tests hold it. `--check` writes
// nothing and fails where a case has no test that runs, or the page is not what would be written.
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"
import { escapeMarkdown } from "./markdown.mjs"

const root = join(import.meta.dirname, "..")
const pageFile = join(root, "docs", "security-cases.md")
const promisesFile = join(root, "docs", "security-cases.json")
const sources = [
  "{packages,apps}/*/{src,test}/**/*.{ts,tsx}",
  "test/{canaries,docs,processes,servers,simulation,sources}/**/*.ts",
  "bench/{sizes,speed}/**/*.test.ts",
]
const isTestFile =
  /[.](?:test|suite)[.]tsx?$|[\\/]testkit[\\/]src[\\/](?:adapter[\\/][\w-]+-cases|integration[\\/]test-[\w-]+)[.]ts$/

const idPattern = /[A-Z]{3,4}-\d{2}/g
/** Ids stand at the start of a title: `CSRF-04: ...`, `JWT-06, JWT-07: ...`. */
const leading = /^(?:[A-Z]{3,4}-\d{2}(?:, | and |: |$))+/
const runners = new Set(["it", "test", "describe"])
const skipping = new Set(["skip", "todo", "skipIf", "runIf", "fails"])
const maxShown = 3

const idsIn = (text) => leading.exec(text)?.[0].match(idPattern) ?? []

/** The text of a title as far as it is written out, and the literals that may stand at its start. */
function readTitle(node) {
  if (ts.isStringLiteralLike(node)) return { text: node.text, starts: [node.text] }
  if (!ts.isTemplateExpression(node)) return null
  const text = node.head.text + node.templateSpans.map((span) => `%s${span.literal.text}`).join("")
  const starts = node.head.text === "" ? literalsIn(node.templateSpans[0].expression) : [node.head.text]
  return { text, starts }
}

function literalsIn(node) {
  const found = []
  const visit = (each) => {
    if (ts.isStringLiteralLike(each)) found.push(each.text)
    ts.forEachChild(each, visit)
  }
  if (node) visit(node)
  return found
}

/** `it.skipIf(x).each(table)(title, ...)`: who runs it, by which modifiers, over which table. */
function readRunner(callee) {
  const modifiers = []
  let table
  let current = callee
  while (!ts.isIdentifier(current)) {
    if (ts.isCallExpression(current)) {
      if (ts.isPropertyAccessExpression(current.expression) && /^(?:each|for)$/.test(current.expression.name.text))
        table = current.arguments[0]
      current = current.expression
    } else if (ts.isPropertyAccessExpression(current)) {
      modifiers.push(current.name.text)
      current = current.expression
    } else return null
  }
  return runners.has(current.text) ? { modifiers, table } : null
}

/** A table may be written in the call, or stand above it under a name. */
function literalsOfTable(table, source) {
  if (!table) return []
  const names = new Set()
  const visitNames = (node) => {
    if (ts.isIdentifier(node)) names.add(node.text)
    ts.forEachChild(node, visitNames)
  }
  visitNames(table)
  const found = literalsIn(table)
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && names.has(node.name.text))
      found.push(...literalsIn(node.initializer))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** A row's own words say more than the place that they take. */
function toShownTitle(title, start) {
  if (title.startsWith(start)) return title
  return title.replace(/^(?:%[a-z]|\$\w+)/, () => start)
}

/** Each place where an id begins the title of a test, with whether the test may be left out of a run. */
function findTests(file) {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), "utf8"), ts.ScriptTarget.Latest, true)
  const found = []
  const add = (ids, title, isSkipped) => {
    for (const id of new Set(ids)) found.push({ id, file: file.replaceAll("\\", "/"), title, isSkipped })
  }

  function visitCall(node, isSkipped) {
    const runner = readRunner(node.expression)
    const title = runner && node.arguments[0] && readTitle(node.arguments[0])
    if (!title) return isSkipped
    const skips = isSkipped || runner.modifiers.some((name) => skipping.has(name))
    const isNamedByTable = /^[%$]/.test(title.text)
    const rows = isNamedByTable ? literalsOfTable(runner.table, source) : []
    for (const start of [...title.starts, ...rows]) add(idsIn(start), toShownTitle(title.text, start), skips)
    return skips
  }

  function visit(node, isSkipped) {
    const skips = ts.isCallExpression(node) ? visitCall(node, isSkipped) : isSkipped
    // The cases of the stores' shared suite are objects that say what they claim.
    if (ts.isPropertyAssignment(node) && node.name.getText() === "claim") {
      const claim = readTitle(node.initializer)
      if (claim) add(claim.starts.flatMap(idsIn), claim.text, isSkipped)
    }
    ts.forEachChild(node, (child) => visit(child, skips))
  }

  visit(source, false)
  return found
}

function collect() {
  const files = [...new Set(globSync(sources, { cwd: root, exclude: ["**/node_modules/**"] }))].filter((file) =>
    isTestFile.test(file),
  )
  return files.sort().flatMap(findTests)
}

/** What is wrong, a sentence each. */
function findMistakes(groups, tests) {
  const ids = groups.flatMap(({ cases }) => cases.map(({ id }) => id))
  const known = new Set(ids)
  const proven = new Set(tests.filter(({ isSkipped }) => !isSkipped).map(({ id }) => id))
  const skipped = new Set(tests.filter(({ isSkipped }) => isSkipped).map(({ id }) => id))
  const unknown = [...new Set(tests.map(({ id }) => id))].filter((id) => !known.has(id))
  return [
    ...ids
      .filter((id) => !proven.has(id))
      .map(
        (id) => `${id}: ${skipped.has(id) ? "every test of it may be skipped" : "no title of a test begins with it"}`,
      ),
    ...ids
      .filter((id, index) => ids.indexOf(id) !== index)
      .map((id) => `${id}: stands twice in docs/security-cases.json`),
    ...unknown.map((id) => `${id}: is not in docs/security-cases.json`),
  ]
}

function renderCase({ id, promise, note }, tests) {
  const own = tests.filter((test) => test.id === id && !test.isSkipped)
  const byFile = Map.groupBy(own, ({ file }) => file)
  const shown = [...byFile].slice(0, maxShown).map(([file, [first, ...others]]) => {
    const more = others.length > 0 ? ` (and ${others.length} more there)` : ""
    return `  - [${file}](../${file}): ${escapeMarkdown(first.title)}${more}`
  })
  const rest = byFile.size > maxShown ? [`  - and in ${byFile.size - maxShown} more files`] : []
  return [`- **${id}** ${promise}`, ...(note ? [`  *${note}*`] : []), ...shown, ...rest]
}

function render(groups, tests) {
  const count = groups.reduce((sum, { cases }) => sum + cases.length, 0)
  return [
    "# Security cases",
    "",
    `This page lists ${count} security cases: each is one guarantee with the tests that enforce it. \`npm run generate -- security-cases\` generates the`,
    "page from [security-cases.json](security-cases.json) and the test titles, which start with the case's ID. CI fails if the page is out of date,",
    "if a case has no test, or if its test may be skipped. Where a guarantee differs from common advice, a note explains why.",
    "",
    "The tests send requests and check responses, unless a single module decides the case. If the database or the session strategy matters,",
    "they run with each of them. [Fuzzing](decisions/fuzzing.md) covers inputs beyond this list, and the [threat model](threat-model.md) describes the attackers.",
    ...groups.flatMap(({ title, cases }) => [
      "",
      `## ${title}`,
      "",
      ...cases.flatMap((each) => renderCase(each, tests)),
    ]),
    "",
  ].join("\n")
}

const groups = JSON.parse(readFileSync(promisesFile, "utf8"))
const tests = collect()
const page = render(groups, tests)
const mistakes = findMistakes(groups, tests)

if (process.argv.includes("--check")) {
  if (readFileSync(pageFile, "utf8") !== page)
    mistakes.push("docs/security-cases.md is not current: npm run generate -- security-cases")
} else {
  writeFileSync(pageFile, page)
}
for (const mistake of mistakes) console.error(mistake)
console.log(
  `security cases: ${groups.flatMap(({ cases }) => cases).length}, tests that begin with one: ${tests.length}`,
)
process.exitCode = mistakes.length > 0 ? 1 : 0
