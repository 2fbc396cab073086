// Runs the tests and closes with what ran and what did not. Arguments go to vitest.
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"

const root = join(import.meta.dirname, "..")
const chromium = [process.env.CHROMIUM_PATH, "/usr/bin/chromium"].find((path) => path && existsSync(path))
const { LATCHKEY_CHROMIUM: _, ...inherited } = process.env
const env = chromium ? { ...inherited, LATCHKEY_CHROMIUM: chromium } : inherited

function runVitest(report) {
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...process.argv.slice(2)]
  return spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: "inherit", env }).status ?? 1
}

const projectOf = (file) => relative(root, file).match(/^(?:packages|apps)[\\/]([^\\/]+)/)?.[1] ?? "house"

function count(results) {
  const projects = new Map()
  const skipped = []
  for (const { name: file, status: fileStatus, assertionResults } of results) {
    const tally = projects.get(projectOf(file)) ?? { passed: 0, failed: 0, skipped: 0 }
    projects.set(projectOf(file), tally)
    // A file that could not be loaded has failed, though none of its tests was tried.
    if (fileStatus === "failed" && !assertionResults.some(({ status }) => status === "failed")) tally.failed += 1
    for (const { status, fullName } of assertionResults) {
      const kind = status === "passed" || status === "failed" ? status : "skipped"
      tally[kind] += 1
      if (kind === "skipped") skipped.push(`${relative(root, file)}: ${fullName}`)
    }
  }
  return { projects, skipped }
}

const line = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`

function summarise({ projects, skipped }) {
  console.log("")
  for (const [name, tally] of [...projects].sort()) console.log(`  ${name}: ${line(tally)}`)
  for (const test of skipped) console.log(`  skipped: ${test}`)
  if (!chromium)
    console.log("!!! BROWSER TESTS SKIPPED: no Chromium. Install it or set CHROMIUM_PATH to its executable. !!!")
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const tally of projects.values()) for (const kind of Object.keys(total)) total[kind] += tally[kind]
  console.log(line(total))
}

const folder = mkdtempSync(join(tmpdir(), "latchkey-test-"))
const report = join(folder, "report.json")
const status = runVitest(report)
const isWhole = process.argv.length === 2
const promises = [join(root, "scripts", "adapter-promises.mjs"), "--check", report]
/** A whole run also looks whether docs/adapters.md says the same. */
const promisesStatus = isWhole && status === 0 ? spawnSync(process.execPath, promises, { stdio: "inherit" }).status : 0
const counted = count(existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : [])
rmSync(folder, { recursive: true, force: true })
summarise(counted)

const refusesSkips = process.env.CI === "true"
if (refusesSkips && counted.skipped.length > 0) console.log("With CI=true nothing may be skipped.")
const isRefused = refusesSkips && (counted.skipped.length > 0 || !chromium)
process.exit(status || promisesStatus || Number(isRefused))
