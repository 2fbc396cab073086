// Writes docs/adapters.json and docs/adapters.md: which adapter keeps which promise of the shared suite in which store.
// Without arguments it runs the suites; with reports of vitest it reads those; `--page` renders the page from the JSON file.
// `--check` writes nothing and fails when the page is stale; `--check report.json` also when a report has other results.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { escapeMarkdown } from "./markdown.mjs"

const root = join(import.meta.dirname, "..")
const resultsFile = join(root, "docs", "adapters.json")
const pageFile = join(root, "docs", "adapters.md")

/** The suites of each column: their folder, and a pattern for their titles. */
const places = [
  ["@latchkey/kysely-adapter", "PostgreSQL", "packages/kysely-adapter", /^PostgreSQL/],
  ["@latchkey/kysely-adapter", "MariaDB", "packages/kysely-adapter", /^MariaDB/],
  ["@latchkey/kysely-adapter", "SQLite", "packages/kysely-adapter", /^(?:sqlite|KyselyAdapter)/],
  ["@latchkey/kysely-adapter", "PGlite", "packages/kysely-adapter", /^PGlite/],
  ["@latchkey/kysely-adapter", "Cloudflare D1", "test/runtimes/stores", /^D1/],
  ["@latchkey/drizzle-adapter", "PostgreSQL", "packages/drizzle-adapter", /^PostgreSQL/],
  ["@latchkey/drizzle-adapter", "MariaDB", "packages/drizzle-adapter", /^MariaDB/],
  ["@latchkey/drizzle-adapter", "SQLite", "packages/drizzle-adapter", /^SQLite/],
  ["@latchkey/prisma-adapter", "PostgreSQL", "test/compat", /^@latchkey\/prisma-adapter in PostgreSQL/],
  ["@latchkey/prisma-adapter", "MariaDB", "test/compat", /^@latchkey\/prisma-adapter in MariaDB/],
  ["@latchkey/prisma-adapter", "SQLite", "test/compat", /^@latchkey\/prisma-adapter in SQLite/],
  ["@latchkey/redis-adapter", "Redis", "packages/redis-adapter", /on one server/],
  ["@latchkey/redis-adapter", "Redis, a cluster", "packages/redis-adapter", /on a cluster/],
  ["@latchkey/unstorage-adapter", "memory", "packages/unstorage-adapter", /in memory/],
  ["@latchkey/unstorage-adapter", "files, `acceptReplays`", "packages/unstorage-adapter", /in files/],
  ["@latchkey/unstorage-adapter", "Redis, `consumeOnce`", "packages/unstorage-adapter", /in Redis/],
  ["@latchkey/unstorage-adapter", "Cloudflare KV, `acceptReplays`", "test/runtimes/stores", /^KV > with acceptReplays/],
  [
    "@latchkey/unstorage-adapter",
    "Cloudflare KV, `consumeOnce` in a Durable Object",
    "test/runtimes/stores",
    /Durable Object/,
  ],
  ...["pg", "kysely", "drizzle", "prisma"].map((name) => theirs(name, "PostgreSQL")),
  ...["kysely", "drizzle"].map((name) => theirs(name, "MariaDB")),
  ...["kysely", "drizzle", "prisma"].map((name) => theirs(name, "SQLite")),
  theirs("unstorage", "Redis"),
  theirs("unstorage", "memory"),
].map(([adapter, engine, folder, titles]) => ({ adapter, engine, folder, titles }))

function theirs(name, engine) {
  return [`@auth/${name}-adapter`, engine, "test/compat", new RegExp(`^@auth/${name}-adapter in ${engine}`)]
}

const folders = [...new Set(places.map(({ folder }) => folder))].filter((folder) => folder.startsWith("packages/"))

/** The suites of a report: the file, what the suite declares, and the result of each claim, in order. */
function readSuites(report) {
  return JSON.parse(readFileSync(report, "utf8")).testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ meta }) => meta?.adapterSuite !== undefined)
      .map(({ meta, ancestorTitles }) => ({
        file: relative(root, name).replaceAll("\\", "/"),
        title: ancestorTitles.join(" > "),
        ...meta.adapterSuite,
        claims: assertionResults.filter((result) => isWithin(result.ancestorTitles, ancestorTitles)).map(toClaim),
      })),
  )
}

const isWithin = (titles, suite) =>
  titles.length === suite.length + 1 && suite.every((title, index) => titles[index] === title)

const toClaim = ({ ancestorTitles, title, status }) => ({ subject: ancestorTitles.at(-1), title, status })

/** A column keeps the claims that all of its suites keep. */
function toColumn({ adapter, engine, folder, titles }, suites) {
  const own = suites.filter(({ file, title }) => file.startsWith(`${folder}/`) && titles.test(title))
  if (own.length === 0) return null
  const failed = own.flatMap(({ claims }) => claims.filter(({ status }) => status !== "passed"))
  if (failed.length > 0)
    throw new Error(`${adapter} in ${engine} fails: ${failed.map(({ title }) => title).join("; ")}`)
  const kept = own.map(({ claims }) => new Set(claims.map(({ title }) => title)))
  return {
    adapter,
    engine,
    without: [...new Set(own.flatMap(({ without }) => without))].sort(),
    broken: Object.assign({}, ...own.map(({ notPromised }) => notPromised)),
    kept: [...kept[0]].filter((title) => kept.every((titlesKept) => titlesKept.has(title))),
  }
}

/** All claims by subject, in the order of the suite that has the most. */
function collectClaims(suites) {
  const bySubject = new Map()
  for (const { claims } of suites.toSorted((a, b) => b.claims.length - a.claims.length))
    for (const { subject, title } of claims) {
      const known = bySubject.get(subject) ?? new Set()
      bySubject.set(subject, known.add(title))
    }
  return Object.fromEntries([...bySubject].map(([subject, titles]) => [subject, [...titles]]))
}

/** Stores the claims that were not asked instead of those that are kept, because they are fewer. */
function toStored(columns, claims) {
  const all = Object.values(claims).flat()
  return columns.map(({ kept, ...column }) => {
    const unasked = all.filter((title) => !kept.includes(title) && column.broken[title] === undefined)
    return { ...column, unasked }
  })
}

/** @param known all claims, when the reports are partial */
function collect(reports, known) {
  const suites = reports.flatMap(readSuites)
  const claims = known ?? collectClaims(suites)
  const columns = places.map((place) => toColumn(place, suites)).filter((column) => column !== null)
  return { claims, columns: toStored(columns, claims) }
}

/** Claims that are newer than the page. */
function findNewClaims(reports, { claims }) {
  const known = new Set(Object.values(claims).flat())
  const found = new Set(reports.flatMap(readSuites).flatMap((suite) => suite.claims.map(({ title }) => title)))
  return [...found].filter((title) => !known.has(title)).map((title) => `missing from docs/adapters.json: ${title}`)
}

/** Assigns a letter to each reason. */
function letterReasons(columns) {
  const reasons = [...new Set(columns.flatMap(({ broken }) => Object.values(broken)))]
  return new Map(reasons.map((reason, index) => [reason, String.fromCharCode(97 + index)]))
}

function renderGlance(columns, count) {
  const rows = columns.map(({ adapter, engine, without, broken, unasked }) => {
    const kept = count - Object.keys(broken).length - unasked.length
    const lacks = without.map((method) => `\`${method}\``).join(", ")
    return `| \`${adapter}\` | ${engine} | ${kept} | ${Object.keys(broken).length} | ${unasked.length} | ${lacks} |`
  })
  return ["| adapter | store | keeps | does not keep | not asked | has no |", "|---|---|---|---|---|---|", ...rows]
}

function renderCell({ broken, unasked }, title, letters) {
  if (broken[title] !== undefined) return `no (${letters.get(broken[title])})`
  return unasked.includes(title) ? "" : "yes"
}

function renderSubject([subject, titles], columns, letters) {
  const names = columns.map(({ adapter, engine }) => `${adapter.replace("-adapter", "")}, ${engine}`)
  return [
    "",
    `### ${subject[0].toUpperCase()}${subject.slice(1)}`,
    "",
    `| an adapter | ${names.join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...titles.map(
      (title) =>
        `| ${escapeMarkdown(title)} | ${columns.map((column) => renderCell(column, title, letters)).join(" | ")} |`,
    ),
  ]
}

function render({ claims, columns }) {
  const count = Object.values(claims).flat().length
  const letters = letterReasons(columns)
  return [
    "# Adapters",
    "",
    `Which of the ${count} promises of the shared suite (\`@latchkey/testkit/adapter\`) each adapter keeps, in each store. \`npm run generate -- adapters\` writes this`,
    "page from the results of the tests on the real stores. A test fails when the page is stale; `npm run test:stores` and `npm run test:compat` fail when",
    "they get other results. An adapter declares what it lacks and which promises it does not keep, with the reason. Everything else is tested.",
    "",
    "The `@auth/` adapters are the published ones, unchanged, on the tables from their documentation. Every sign-in method works with all of them",
    "(`test/compat`). A promise they do not keep is a risk for your app today: [moving-stores.md](guides/moving-stores.md) describes how to move to ours.",
    "`@auth/mongodb-adapter` is missing: no MongoDB server can be installed from the package registries.",
    "",
    "## At a glance",
    "",
    ...renderGlance(columns, count),
    "",
    "*Not asked*: the promise is about a method that the adapter lacks.",
    "",
    "## Why not",
    "",
    ...[...letters].map(([reason, letter]) => `- **${letter}**: ${escapeMarkdown(reason)}`),
    "",
    "## Promise by promise",
    ...Object.entries(claims).flatMap((subject) => renderSubject(subject, columns, letters)),
    "",
  ].join("\n")
}

/** The columns of a report whose results differ from docs/adapters.json. */
function findDifferences(found, written) {
  const nameOf = ({ adapter, engine }) => `${adapter} in ${engine}`
  const known = new Map(written.columns.map((column) => [nameOf(column), column]))
  return found.columns
    .map((column) => [nameOf(column), column])
    .filter(([name, column]) => !isAlike(column, known.get(name)))
    .map(([name]) => `${name}: the results differ from docs/adapters.json`)
}

function isAlike(a, b) {
  const toText = (column) =>
    JSON.stringify([column.without, Object.entries(column.broken).sort(), [...column.unasked].sort()])
  return b !== undefined && toText(a) === toText(b)
}

function runSuites() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-adapters-"))
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const runs = [
    ["own.json", ...folders],
    ["compat.json", "--config", "test/compat/vitest.config.ts"],
    ["cloudflare.json", "--config", "test/runtimes/stores/vitest.config.ts"],
  ]
  try {
    for (const [report, ...args] of runs) {
      const file = join(folder, report)
      const all = [vitest, "run", "--reporter=default", "--reporter=json", `--outputFile.json=${file}`, ...args]
      const { status } = spawnSync(process.execPath, all, { cwd: root, stdio: "inherit" })
      if (status !== 0) throw new Error("Tests failed. Fix them first: the page is written from a run that passes")
    }
    return collect(runs.map(([report]) => join(folder, report)))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const isCheck = process.argv.includes("--check")
const reports = process.argv.slice(2).filter((arg) => !arg.startsWith("--"))
const write = "npm run generate -- adapters"

if (isCheck) {
  const written = JSON.parse(readFileSync(resultsFile, "utf8"))
  const mistakes = findNewClaims(reports, written)
  mistakes.push(...findDifferences(collect(reports, written.claims), written))
  if (readFileSync(pageFile, "utf8") !== render(written)) mistakes.push(`docs/adapters.md is stale. Run: ${write}`)
  for (const mistake of mistakes) console.error(mistake)
  process.exitCode = mistakes.length > 0 ? 1 : 0
} else if (process.argv.includes("--page")) {
  writeFileSync(pageFile, render(JSON.parse(readFileSync(resultsFile, "utf8"))))
} else {
  const results = reports.length > 0 ? collect(reports) : runSuites()
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(pageFile, render(results))
  spawnSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", resultsFile], { cwd: root })
  console.log(`docs/adapters.md: ${results.columns.length} adapters in their stores`)
}
