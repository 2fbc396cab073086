// Writes docs/frameworks.json and docs/frameworks.md: what each framework was seen to do, by the shared suites of
// `@latchkey/testkit/integration` and by the browser tests of the examples. Without arguments it runs the shared suites;
// with reports of vitest it reads those, and keeps what other reports said of other columns. `--page` renders the page
// from the JSON file. `--check` writes nothing and fails when the page is stale; `--check report.json` also when the report
// has other results.
import { spawnSync } from "node:child_process"
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { escapeMarkdown } from "./markdown.mjs"

const root = join(import.meta.dirname, "..")
const resultsFile = join(root, "docs", "frameworks.json")
const pageFile = join(root, "docs", "frameworks.md")

/** Tests of the shared suites that differ by a parameter are one row. */
const merged = [
  [/^(lets requests for the app's own sign-in page) \S+ (through)$/, "$1 $2"],
  [/^(fails for the sign-in page) \S+$/, "$1, which requireAuth does not know"],
  [/^(CONF-01: rejects every request when the session cannot be read).*/, "$1"],
  [/^(CONF-02: is not bypassed by) \{.*/, "$1 headers that name another path or method"],
  [/^answers a client .* with 401$/, "answers a client that does not load a page with 401"],
  [/^(CSRF-10, CSRF-11: reject a form) of .*/, "$1 of another site"],
  [/^CSRF-10: reject a (?:GET|HEAD) request.*/, "CSRF-10: reject a request that any link causes"],
  [/^(LIM-01: rejects a body of one byte over the limit) to .*/, "$1"],
  [/^(LIM-10: answers the next request after a refused body) of .*/, "$1"],
  [/^(HOST-04, HOST-05: answers) .* (with 400 and logs it)$/, "$1 an invalid host or protocol $2"],
  [/^(LIM-04: rejects) the method .*/, "$1 other methods"],
  [/^(MODE-.*) with NODE_ENV=.*/, "$1"],
]

/** The two tables. A test belongs to the place that `place` finds, or to none. A cell without a result needs a reason. */
const tables = {
  packages: {
    subjects: [
      "endpoints and pages",
      "functions for one request",
      "guard",
      "forms of the app",
      "origin and client address",
    ],
    place({ file, meta, title }) {
      const column = /^packages\/([^/]+)\//.exec(file)?.[1]
      if (column === undefined || column === "testkit" || meta?.behavior === undefined) return null
      return { column, subject: meta.behavior, row: merged.reduce((text, rule) => text.replace(...rule), title) }
    },
    /** The subject or row, the columns, and why they have nothing there. */
    reasons: [
      [
        "lets requests for the app's own sign-in page through",
        ["node"],
        "`requireAuth` is called by the code of one page, so it throws on the sign-in page, which needs none",
      ],
      [
        "fails for the sign-in page, which requireAuth does not know",
        ["astro", "elysia", "express", "fastify", "hono", "koa", "nestjs", "nuxt", "react-router", "tanstack-start"],
        "the guard of many routes lets the app's own sign-in page through",
      ],
      [
        "throws for the built-in sign-in page, and explains how to mount it",
        ["astro", "elysia", "koa", "nestjs", "node", "nuxt", "react-router", "tanstack-start"],
        "the endpoints are not mounted behind the guard",
      ],
      [
        "guard",
        ["next"],
        "`callbacks.authorized` decides in the proxy, as with Auth.js. Its tests: `packages/next/test/guard.test.ts`",
      ],
      ["guard", ["qwik", "solid-start", "sveltekit"], "there is no guard for many routes: pages call `requireAuth`"],
      [
        "SESS-04: leave no renewed session behind the app's own cookie that ends it",
        ["next", "qwik", "solid-start"],
        "the renewed cookie is set when the session is read, so a cookie that the app sets later replaces it",
      ],
      [
        "CSRF-10, CSRF-11: reject a form without an origin",
        ["elysia", "express", "fastify", "hono", "koa", "nestjs", "node"],
        "the functions also serve clients that are not browsers. Every browser sends the origin with a form",
      ],
      [
        "CSRF-10, CSRF-11: reject a form without an origin",
        ["next", "qwik", "sveltekit"],
        "the framework itself checks the origin of its forms. Every browser sends it",
      ],
      [
        "requireAuth throws on the app's own sign-in page, which needs no session",
        ["next"],
        "Next does not tell a component its page",
      ],
      [
        "a request whose code does not read the session sets no cookie",
        ["qwik"],
        "the package reads the session for each request, because `useSession` is a loader",
      ],
      [
        "origin and client address",
        ["astro", "next", "nuxt", "qwik", "react-router", "solid-start", "sveltekit", "tanstack-start"],
        "the framework or the platform decides about forwarded headers. The tests of the package have what it does",
      ],
      [
        "warns about a missing secret when the app starts, without a request",
        ["next", "qwik", "sveltekit"],
        "the framework loads the configuration with the first request",
      ],
      [
        "names in the log how to trust the host, and the proxy of this framework",
        ["next"],
        "Next has no setting for proxies. `packages/next/test/handler.test.ts` has the message",
      ],
    ],
  },
  examples: {
    subjects: [
      "signing in",
      "a mail that is read on another device",
      "the sessions of a user",
      "the page that calls the provider for the signed-in user",
      "the session in the browser",
      "rejects",
      "after a restart",
    ],
    place({ file, ancestorTitles: [column, group = ""], title }) {
      // The copied components are the same in each framework that has them.
      if (file !== "test/examples/web.suite.ts" || group.startsWith("the copied components")) return null
      const [suffix = "", hasScript] = /(?:^|, )with JavaScript: (true|false)$/.exec(group) ?? []
      const subject = group.slice(0, group.length - suffix.length) || "signing in"
      return { column: column.replace(/^example-/, ""), subject, row: title, needsScript: hasScript === "true" }
    },
    reasons: [
      ["a mail that is read on another device", lacks("hasMail"), "the example sends no mails"],
      ["signs in with an emailed link, which works once", lacks("hasMail"), "the example sends no mails"],
      ["the sessions of a user", lacks("sessionBound"), "the example has no page for sessions"],
      ["an end of the other sessions from another site", lacks("sessionBound"), "the example has no page for sessions"],
      ["the page that calls the provider for the signed-in user", lacks("hasProfile"), "the example has no such page"],
      ["the session in the browser", lacks("hasClient"), "the example has no script for the browser"],
    ],
  },
}

/** The examples for the Web whose `package.json#latchkeyExample` has no such property. */
function lacks(property) {
  return globSync("apps/example-*/package.json", { cwd: root })
    .map((file) => [file, JSON.parse(readFileSync(join(root, file), "utf8")).latchkeyExample])
    .filter(([, { kind = "web", [property]: value }]) => kind === "web" && !value)
    .map(([file]) => basename(dirname(file)).replace(/^example-/, ""))
}

/** What the reports say of a table: the columns that they have, and by subject and row those that pass. */
function collect(reports, { place, subjects }) {
  const found = reports
    .flatMap((report) => JSON.parse(readFileSync(report, "utf8")).testResults)
    .flatMap(({ name, assertionResults }) => {
      const file = relative(root, name).replaceAll("\\", "/")
      return assertionResults.map((test) => ({ ...place({ ...test, file }), status: test.status }))
    })
    .filter(({ column }) => column !== undefined)
  const unknown = found.filter(({ subject }) => !subjects.includes(subject)).map(({ subject }) => subject)
  if (unknown.length > 0) throw new Error(`Subjects without a place on the page: ${[...new Set(unknown)].join(", ")}`)
  const failed = found.filter(({ status }) => status !== "passed").map(({ column, row }) => `${column}: ${row}`)
  if (failed.length > 0) throw new Error(`Tests failed, so there is nothing to write: ${failed.join("; ")}`)
  const rows = {}
  for (const { subject, row, column, needsScript = false } of found) {
    rows[subject] ??= {}
    rows[subject][row] ??= new Map()
    rows[subject][row].set(column, needsScript && (rows[subject][row].get(column) ?? true))
  }
  return { rows, columns: new Set(found.map(({ column }) => column)) }
}

/** The stored results. The columns that the reports have are replaced as a whole. */
function merge(stored = {}, { rows, columns }, { subjects }) {
  const result = {}
  for (const subject of subjects) {
    const titles = new Set([stored, rows].flatMap((from) => Object.keys(from[subject] ?? {})))
    for (const row of titles) {
      const others = toCells(stored[subject]?.[row] ?? "").filter((cell) => !columns.has(toColumn(cell)))
      const found = [...(rows[subject]?.[row] ?? [])].map(
        ([column, needsScript]) => column + (needsScript ? scripted : ""),
      )
      const cells = [...others, ...found].sort()
      if (cells.length > 0) result[subject] = { ...result[subject], [row]: cells.join(" ") }
    }
  }
  return result
}

/** A row is stored as the names of the columns that pass, with this suffix if no test passes without JavaScript. */
const scripted = ":with-javascript"
const toCells = (text) => text.split(" ").filter((name) => name !== "")
const toColumn = (cell) => cell.replace(scripted, "")

const update = (results, reports) =>
  Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [name, merge(results[name], collect(reports, table), table)]),
  )

const columnsOf = (subjects) =>
  [...new Set(Object.values(subjects).flatMap(Object.values).flatMap(toCells).map(toColumn))].sort()

/** @throws for a cell without a result and without a reason */
function findReason({ reasons }, subject, row, column) {
  const reason = reasons.find(([what, columns]) => (what === subject || what === row) && columns.includes(column))
  if (!reason) throw new Error(`${column}: nothing shows that it ${row} (${subject}). Add a test, or a reason`)
  return reason[2]
}

function renderTable(name, subjects) {
  const table = tables[name]
  const columns = columnsOf(subjects)
  const letters = new Map()
  const letterOf = (reason) => {
    if (!letters.has(reason)) letters.set(reason, String.fromCharCode(97 + letters.size))
    return letters.get(reason)
  }
  const lines = Object.entries(subjects).flatMap(([subject, rows]) => [
    "",
    `### ${subject[0].toUpperCase()}${subject.slice(1)}`,
    "",
    `| | ${columns.join(" | ")} |`,
    `|---|${columns.map(() => "---|").join("")}`,
    ...Object.entries(rows).map(([row, passing]) => {
      const passed = toCells(passing)
      const cells = columns.map((column) => {
        if (passed.includes(column)) return "yes"
        return passed.includes(column + scripted)
          ? "with JavaScript"
          : letterOf(findReason(table, subject, row, column))
      })
      return `| ${escapeMarkdown(row)} | ${cells.join(" | ")} |`
    }),
  ])
  const idle = table.reasons.map(([, , reason]) => reason).filter((reason) => !letters.has(reason))
  if (columns.length > 0 && idle.length > 0) throw new Error(`Reasons for no cell. Remove them: ${idle.join("; ")}`)
  return [...lines, "", ...[...letters].map(([reason, letter]) => `- **${letter}**: ${reason}`)]
}

const render = ({ packages, examples }) =>
  [
    "# Frameworks",
    "",
    "What the package of each framework does, and what a browser sees in an app that uses it. Both tables are written from runs of the tests by `npm run generate -- frameworks`, and",
    "`npm test` and `npm run test:examples` fail when they get other results. A letter instead of a *yes* is a reason, below the table. [Runtimes](runtimes.md) has the",
    "same for Node, Bun, Deno and edge runtimes, and [Versions and support](support.md#frameworks) the versions.",
    "",
    "## Packages",
    "",
    "The shared suite runs each package in its framework: over HTTP, or by the functions that the framework calls. Titles are those of the tests, such as *rejects a",
    "wrong password*; identifiers are those of the [security cases](security-cases.md). Where a package supports two majors or two routers, both pass.",
    ...renderTable("packages", packages),
    "",
    "## Example apps",
    "",
    "Each app is built with packed packages and driven in Chromium. *Yes* means with and without JavaScript, unless the test is about JavaScript itself or the same for",
    "both; *with JavaScript*, that it was run with it alone. What an example lacks is asked of its framework above, without a browser: codes of mails, the sessions and",
    "the access tokens of a user.",
    ...renderTable("examples", examples),
    "",
  ].join("\n")

function runSuites() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-frameworks-"))
  const report = join(folder, "report.json")
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const suites = /\btest(?:Integration|Guard|NativeGuard|FormActions|UserAuth|Origin|ProviderSignOut)\(/
  const files = globSync("packages/*/{src,test}/**/*.test.ts", { cwd: root }).filter((file) =>
    suites.test(readFileSync(join(root, file), "utf8")),
  )
  try {
    const args = [vitest, "run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...files]
    const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" })
    if (status !== 0) throw new Error("Tests failed. Fix them first: the page is written from a run that passes")
    return update(JSON.parse(readFileSync(resultsFile, "utf8")), [report])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const reports = process.argv.slice(2).filter((arg) => !arg.startsWith("--"))

if (process.argv.includes("--check")) {
  const written = JSON.parse(readFileSync(resultsFile, "utf8"))
  const mistakes = []
  if (JSON.stringify(update(written, reports)) !== JSON.stringify(written))
    mistakes.push(
      "docs/frameworks.md has other results than this run. Write it: npm run generate -- frameworks, or npm run test:examples -- --update",
    )
  if (readFileSync(pageFile, "utf8") !== render(written))
    mistakes.push("docs/frameworks.md is stale. Run: node scripts/framework-behaviors.mjs --page")
  for (const mistake of mistakes) console.error(mistake)
  process.exitCode = mistakes.length > 0 ? 1 : 0
} else {
  const written = JSON.parse(readFileSync(resultsFile, "utf8"))
  const isPage = process.argv.includes("--page")
  const results = isPage ? written : reports.length > 0 ? update(written, reports) : runSuites()
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
  spawnSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", resultsFile], { cwd: root })
  writeFileSync(pageFile, render(results))
}
