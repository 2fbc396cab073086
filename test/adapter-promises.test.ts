import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { adapterCases } from "../packages/testkit/src/adapter/index.js"

const root = join(import.meta.dirname, "..")

describe("docs/adapters.md", () => {
  it("is up to date (`npm run adapters` writes it)", () => {
    const script = join(root, "scripts", "adapter-promises.mjs")
    const { stderr, status } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" })
    expect([stderr, status]).toEqual(["", 0])
  })

  it("has exactly the promises of the shared suite", () => {
    const { claims } = JSON.parse(readFileSync(join(root, "docs", "adapters.json"), "utf8"))
    const promised = Object.entries(adapterCases).map(([subject, cases]) => [subject, cases.map(({ claim }) => claim)])
    expect(claims).toEqual(Object.fromEntries(promised))
  })
})
