// Runs the tests with published packages of the Auth.js ecosystem. Arguments go to vitest. A full run also checks docs/adapters.md.
// With `next` first, runs the tests of apps with a published Next.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const modules = join(root, "node_modules")
const [first, ...others] = process.argv.slice(2)
const isNext = first === "next"
const given = isNext || first === undefined ? others : [first, ...others]
const folder = isNext ? join("test", "compat", "next") : join("test", "compat")

const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1

function runTests(report) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const config = ["--config", join(folder, "vitest.config.ts")]
  return run(join(modules, "vitest", "vitest.mjs"), "run", ...config, ...reporters, ...given)
}

function runAll() {
  const home = mkdtempSync(join(tmpdir(), "latchkey-compat-"))
  const report = join(home, "report.json")
  try {
    const status = run(join(modules, "typescript-native", "bin", "tsc"), "-p", "test/compat") || runTests(report)
    if (status !== 0 || given.length > 0) return status
    const { numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"))
    const skipped = numPendingTests + numTodoTests
    if (skipped > 0) console.log(`!!! SKIPPED: ${skipped} tests !!!`)
    if (skipped > 0 && process.env.CI === "true") return 1
    return isNext ? 0 : run(join("scripts", "adapter-promises.mjs"), "--check", report)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

process.exit(runAll())
