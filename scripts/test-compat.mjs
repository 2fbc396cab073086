// Runs the tests with published packages of the Auth.js ecosystem. Arguments go to vitest. A full run also checks docs/adapters.md.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const modules = join(root, "node_modules")
const given = process.argv.slice(2)

const run = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" }).status ?? 1

function runTests(report) {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
  const config = ["--config", join("test", "compat", "vitest.config.ts")]
  return run(join(modules, "vitest", "vitest.mjs"), "run", ...config, ...reporters, ...given)
}

function runAll() {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-compat-"))
  const report = join(folder, "report.json")
  try {
    const status = run(join(modules, "typescript-native", "bin", "tsc"), "-p", "test/compat") || runTests(report)
    if (status !== 0 || given.length > 0) return status
    const { numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"))
    const skipped = numPendingTests + numTodoTests
    if (skipped > 0) console.log(`!!! SKIPPED: ${skipped} tests !!!`)
    if (skipped > 0 && process.env.CI === "true") return 1
    return run(join("scripts", "adapter-promises.mjs"), "--check", report)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

process.exit(runAll())
