import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")

it("docs/planted-mistakes.md is up to date, with a result or a reason in each cell", () => {
  const script = join(root, "scripts", "planted-mistakes.mjs")
  const { stderr, status } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" })
  expect([stderr, status]).toEqual(["", 0])
})
