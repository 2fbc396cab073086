import { spawnSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")

function columnsOf(table: Record<string, Record<string, string>>): readonly string[] {
  const cells = Object.values(table).flatMap((rows) => Object.values(rows).flatMap((row) => row.split(" ")))
  return [...new Set(cells.map((cell) => cell.replace(":with-javascript", "")))].sort()
}

it("docs/frameworks.md is up to date, with a result or a reason in each cell", () => {
  const script = join(root, "scripts", "framework-behaviors.mjs")
  const { stderr, status } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" })
  expect([stderr, status]).toEqual(["", 0])
})

it("docs/frameworks.md has a column for each example app for the Web", () => {
  const { examples } = JSON.parse(readFileSync(join(root, "docs", "frameworks.json"), "utf8"))
  const driven = globSync("apps/example-*/package.json", { cwd: root })
    .filter((file) => !("kind" in JSON.parse(readFileSync(join(root, file), "utf8")).latchkeyExample))
    .map((file) => basename(dirname(file)).replace("example-", ""))
    .sort()
  expect(columnsOf(examples)).toEqual(driven)
})

it("docs/frameworks.md has a column for each package with the shared integration suite", () => {
  const { packages } = JSON.parse(readFileSync(join(root, "docs", "frameworks.json"), "utf8"))
  const tested = globSync("packages/*/test/integration.test.ts", { cwd: root })
    .filter((file) => readFileSync(join(root, file), "utf8").includes("testIntegration"))
    .map((file) => basename(dirname(dirname(file))))
    .sort()
  expect(columnsOf(packages)).toEqual(tested)
})
