import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runHere } from "../command.js"

// No server, but it takes as long: PGlite creates a cluster in the folder.
describe("latchkey migrate with PGlite", () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-cli-"))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it("migrates a folder, and finds what it migrated", async () => {
    const onPglite = (...args: string[]) => runHere(["migrate", "--url", "pglite:data", ...args], { folder })
    expect((await onPglite()).output).toMatch(/^(?:applied: \d{4}_\w+\n){5}$/)
    expect((await onPglite("--print", "--down")).output).toContain(`drop table if exists "AccountChange"`)
  })
})
