// Runs tests and ends with one line of counts: `node scripts/test.mjs [suite] [--seed 7] [arguments for vitest]`.
// Without a suite: all tests that are quick. With a path: all tests below it.
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { chromiumPath } from "./chromium.ts"

const root = join(import.meta.dirname, "..")
const isStrict = process.env.CI === "true"

const testFiles = globSync("packages/*/{src,test}/**/*.test.{ts,tsx}", { cwd: root, exclude: ["**/node_modules/**"] })
const usesProperties = (file) => readFileSync(join(root, file), "utf8").includes('from "fast-check"')

/** By name: the arguments for vitest, and the environment. The projects stand in vitest.config.ts. */
const suites = {
  quick: () => ({ args: ["--project", "unit", "--project", "isolated"] }),
  /** Every adapter over every store, embedded or on a server, and what else needs a server. */
  stores: () => ({ args: [...globSync("packages/*-adapter/", { cwd: root }), "servers/"] }),
  /** The demo in Chromium: every journey, page and language. */
  browser: () => ({ args: ["--project", "browser"] }),
  /** The packages as npm packs them, in projects of a host. */
  packages: () => ({ args: ["--project", "packages"] }),
  /** Properties over ten times as many values. */
  properties: () => ({ args: testFiles.filter(usesProperties), env: { LATCHKEY_PROPERTY_RUNS: "1000" } }),
}

function readCommandLine(given) {
  const [first, ...rest] = given
  const isNamed = Object.hasOwn(suites, first ?? "")
  const others = isNamed ? rest : given
  const at = others.indexOf("--seed")
  const seed = at < 0 ? undefined : others[at + 1]
  const own = at < 0 ? others : others.toSpliced(at, 2)
  const { args = [], env = {} } = isNamed || own.length === 0 ? suites[isNamed ? first : "quick"]() : {}
  return {
    args: [...args, ...own],
    env: { ...env, ...(seed && { LATCHKEY_PROPERTY_SEED: seed }) },
    isAllStores: first === "stores" && own.length === 0,
    isAll: !isNamed && own.length === 0,
  }
}

function runVitest({ args, env }, report) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const options = { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }
  return spawnSync(process.execPath, [vitest, "run", ...reporters, ...args], options).status ?? 1
}

const folderOf = (file) => relative(root, file).match(/^(?:packages|apps)[\\/]([^\\/]+)/)?.[1] ?? "repository"

function count(results) {
  const folders = new Map()
  const skipped = new Map()
  for (const { name: file, status: fileStatus, assertionResults } of results) {
    const tally = folders.get(folderOf(file)) ?? { passed: 0, failed: 0, skipped: 0 }
    folders.set(folderOf(file), tally)
    // A file that does not load has failed, though none of its tests has run.
    if (fileStatus === "failed" && !assertionResults.some(({ status }) => status === "failed")) tally.failed += 1
    for (const { status, fullName } of assertionResults) {
      const kind = status === "passed" || status === "failed" ? status : "skipped"
      tally[kind] += 1
      if (kind === "skipped") skipped.set(file, [...(skipped.get(file) ?? []), fullName])
    }
  }
  return { folders, skipped }
}

const line = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`

function printSummary({ folders, skipped }) {
  console.log("")
  for (const [name, tally] of [...folders].sort()) console.log(`  ${name}: ${line(tally)}`)
  for (const [file, names] of skipped) {
    const what = names.length === 1 ? names[0] : `${names.length} tests`
    console.log(`!!! SKIPPED: ${relative(root, file)}: ${what} !!!`)
  }
  const lacksBrowser = !chromiumPath && [...skipped.keys()].some((file) => folderOf(file) === "demo")
  if (lacksBrowser)
    console.log("!!! BROWSER TESTS SKIPPED: install Chromium, or set CHROMIUM_PATH to its executable !!!")
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const tally of folders.values()) for (const kind of Object.keys(total)) total[kind] += tally[kind]
  console.log(line(total))
}

/** So that a change which makes the tests slow is seen. */
function printSlowest(results) {
  const times = results.map(({ name, startTime, endTime }) => [Math.round((endTime - startTime) / 1000), name])
  const slowest = times.sort(([one], [other]) => other - one).slice(0, 10)
  console.log("\nthe slowest files:")
  for (const [seconds, file] of slowest) console.log(`  ${String(seconds).padStart(4)} s  ${relative(root, file)}`)
}

/** Whether a page of the documentation says the same as the tests. */
function checkPage(name, report) {
  const script = join(root, "scripts", name)
  return spawnSync(process.execPath, [script, "--check", report], { stdio: "inherit" }).status ?? 1
}

const folder = mkdtempSync(join(tmpdir(), "latchkey-test-"))
const report = join(folder, "report.json")
const run = readCommandLine(process.argv.slice(2))
const status = runVitest(run, report)
const pages = [
  ...(run.isAllStores ? ["adapter-promises.mjs", "planted-mistakes.mjs"] : []),
  ...(run.isAll ? ["framework-behaviors.mjs"] : []),
]
const pageStatus = status === 0 ? Math.max(0, ...pages.map((page) => checkPage(page, report))) : 0
const results = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : []
const counted = count(results)
rmSync(folder, { recursive: true, force: true })

const hasRefusedSkip = isStrict && counted.skipped.size > 0
if (hasRefusedSkip) console.log("\nCI=true: a skipped test fails the run")
if (run.isAll) printSlowest(results)
printSummary(counted)
process.exit(status || pageStatus || Number(hasRefusedSkip))
