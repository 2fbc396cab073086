import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")

it("every security case has a test, and docs/security-cases.md is up to date (`npm run generate -- security-cases` writes it)", () => {
  const check = spawnSync(process.execPath, [join(root, "scripts", "security-cases.mjs"), "--check"], {
    encoding: "utf8",
  })
  expect(check.stderr).toBe("")
  expect(check.status).toBe(0)
})
