// Writes docs/planted-mistakes.json and docs/planted-mistakes.md: what `latchkey doctor` named first for each mistake that the
// tests plant. Without arguments it runs those tests, except those of an installed example; with reports of vitest it reads them,
// and keeps what others said of other places. `--page` renders the page from the JSON file. `--check` writes nothing and fails
// when the page is stale; `--check report.json` also when something else was named first. Seconds are not compared.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { escapeMarkdown } from "./markdown.mjs"

const root = join(import.meta.dirname, "..")
const resultsFile = join(root, "docs", "planted-mistakes.json")
const pageFile = join(root, "docs", "planted-mistakes.md")
const suites = ["test/servers/doctor/", "packages/cli/test/servers/doctor-"]

/** Each with its columns: the places where mistakes are planted. */
const tables = [
  {
    title: "Sites behind a proxy",
    text: "`latchkey doctor --url` asks a running site with `doctor: answerDoctor()`. The Express app is the one of its guide; the Next.js app is the [example](../apps/example-next), built and started by its own scripts. nginx and Caddy end TLS, as in [the cookbook](cookbook/proxies.md). The clock is set by `faketime`.",
    places: ["Express, nginx", "Express, caddy", "Next.js, nginx", "Next.js, caddy"],
    /** The mistakes that a place cannot make. */
    impossible: [
      ["31: development", /^Next/, "the build of Next.js writes `production` into the code"],
      ["18: request headers cut at 8 KiB by the proxy", /caddy$/, "Caddy lets 1 MiB through"],
      ["21: /session cached", /caddy$/, "Caddy has no cache of its own"],
    ],
  },
  {
    title: "Configurations",
    text: "`latchkey doctor` reads the configuration of the [Express](../apps/example-express) and of the [Next.js](../apps/example-next) example, with a provider of OpenID Connect, a mail server and a DNS server that the test starts.",
    places: ["Express", "Next.js"],
    impossible: [[/^2[34] /, /^Express/, "Express has no middleware that is built for the edge, and no matcher"]],
  },
  {
    title: "Databases",
    text: "`latchkey doctor` asks the database of the same two examples, which then have another adapter than their own.",
    places: ["Express", "Next.js"].flatMap((app) =>
      ["PostgreSQL", "MariaDB", "Redis"].map((name) => `${app}, ${name}`),
    ),
    impossible: [
      [/^2[67] /, /Redis/, "Redis has no tables"],
      [/^28 /, /SQL|Maria/, "the server keeps what it has"],
    ],
  },
]

function readReports(reports) {
  const found = reports
    .flatMap((report) => JSON.parse(readFileSync(report, "utf8")).testResults)
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ status, fullName, meta }) => (meta?.planted ?? []).map((each) => ({ status, fullName, ...each })))
  const failed = found.filter(({ status }) => status !== "passed").map(({ fullName }) => fullName)
  if (failed.length > 0) throw new Error(`Tests failed, so there is nothing to write: ${failed.join("; ")}`)
  const known = tables.flatMap(({ places }) => places)
  const unknown = found.filter(({ place }) => !known.includes(place)).map(({ place }) => place)
  if (unknown.length > 0) throw new Error(`Places without a table on the page: ${[...new Set(unknown)].join(", ")}`)
  return found
}

const toNumber = (mistake) => Number.parseInt(mistake, 10) || 0

/** The stored results by place. The places that the reports have are replaced as a whole. */
function update(stored, reports) {
  const found = readReports(reports)
  const results = { ...stored }
  for (const place of new Set(found.map((each) => each.place))) {
    const own = found.filter((each) => each.place === place)
    const sorted = own.toSorted((one, other) => toNumber(one.mistake) - toNumber(other.mistake))
    results[place] = Object.fromEntries(sorted.map(({ mistake, found: code, seconds }) => [mistake, { code, seconds }]))
  }
  const order = tables.flatMap(({ places }) => places)
  return Object.fromEntries(order.filter((place) => results[place]).map((place) => [place, results[place]]))
}

function renderCell(result, table, place, mistake) {
  if (result) return `${result.code === "" ? "nothing" : `\`${result.code}\``}, ${result.seconds.toFixed(1)} s`
  const isMeant = ([what, where]) =>
    where.test(place) && (what === mistake || (what instanceof RegExp && what.test(mistake)))
  if (table.impossible.some(isMeant)) return "–"
  throw new Error(`${place}: nothing was planted for "${mistake}". Add a test, or a reason`)
}

function renderTable(table, results) {
  const { title, text, places, impossible } = table
  const own = places.filter((place) => results[place])
  const mistakes = [...new Set(own.flatMap((place) => Object.keys(results[place])))]
  mistakes.sort((one, other) => toNumber(one) - toNumber(other))
  const toRow = (mistake) => {
    const cells = own.map((place) => renderCell(results[place][mistake], table, place, mistake))
    const name = mistake.replace(/^\d+:? /, "")
    return `| ${toNumber(mistake) || ""} | ${escapeMarkdown(name)} | ${cells.join(" | ")} |`
  }
  const heads = own.map((place) => place.replace("caddy", "Caddy"))
  const reasons = impossible.map(([, , reason]) => reason).join("; ")
  return [
    `## ${title}`,
    "",
    text,
    "",
    `| | mistake | ${heads.join(" | ")} |`,
    `|---|---|${own.map(() => "---|").join("")}`,
    ...mistakes.map(toRow),
    "",
    `A dash stands where the mistake cannot be made: ${reasons}.`,
    "",
  ]
}

const render = (results) =>
  [
    "# Planted mistakes",
    "",
    "The tests plant one mistake after the other into apps, and [`latchkey doctor`](guides/finding-mistakes.md) must name each first, with the line to change. In apps without a",
    "mistake it must find nothing, not even a warning. A cell has the [finding](guides/finding-mistakes.md#what-is-wrong-with-a-site) that came first, and the seconds that the",
    "command took on a machine with two cores that did other work, too. The test run writes this page: `npm run generate -- mistakes`, and for the Next.js example",
    "`npm run test:examples -- next --update`. `npm run test:all` fails when something else is named first.",
    "",
    ...tables.flatMap((table) => renderTable(table, results)),
  ].join("\n")

function runSuites(stored) {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-mistakes-"))
  const report = join(folder, "report.json")
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  try {
    const args = [vitest, "run", "--project", "servers", ...reporters, ...suites]
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" })
    if (status !== 0) throw new Error("Tests failed. Fix them first: the page is written from a run that passes")
    return update(stored, [report])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the reports name first, and the page does not. */
function findDifferences(stored, reports) {
  return readReports(reports)
    .filter(({ place, mistake, found }) => stored[place]?.[mistake]?.code !== found)
    .map(({ place, mistake, found }) => `${place}: ${mistake}: ${found}`)
}

const reports = process.argv.slice(2).filter((arg) => !arg.startsWith("--"))
const stored = JSON.parse(readFileSync(resultsFile, "utf8"))

if (process.argv.includes("--check")) {
  const mistakes = findDifferences(stored, reports).map((each) => `docs/planted-mistakes.md does not say: ${each}`)
  if (readFileSync(pageFile, "utf8") !== render(stored))
    mistakes.push("docs/planted-mistakes.md is stale. Run: node scripts/planted-mistakes.mjs --page")
  for (const mistake of mistakes) console.error(mistake)
  process.exitCode = mistakes.length > 0 ? 1 : 0
} else {
  const isPage = process.argv.includes("--page")
  const results = isPage ? stored : reports.length > 0 ? update(stored, reports) : runSuites(stored)
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
  spawnSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", resultsFile], { cwd: root })
  writeFileSync(pageFile, render(results))
}
