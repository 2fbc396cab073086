import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")

describe("the options of AuthConfig", () => {
  it("have doc comments that match the code and docs/options", () => {
    const script = join(root, "scripts", "options.mjs")
    const { stderr, status } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" })
    expect([stderr, status]).toEqual(["", 0])
  })
})
