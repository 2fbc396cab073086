import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..")

it("every security case has a test that runs, and docs/security-cases.md lists it", () => {
  const check = spawnSync(process.execPath, [join(root, "scripts", "security-cases.mjs"), "--check"], {
    encoding: "utf8",
  })
  expect(check.stderr).toBe("")
  expect(check.status).toBe(0)
})
