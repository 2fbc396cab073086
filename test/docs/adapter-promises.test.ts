import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { lackedMethods } from "../../packages/core/src/host/adapter-mistakes.js"
import { adapterCases, featureMethods } from "../../packages/testkit/src/adapter/index.js"

const root = join(import.meta.dirname, "..", "..")

describe("docs/adapters.md", () => {
  it("is up to date (`npm run generate -- adapters` writes it)", () => {
    const script = join(root, "scripts", "adapter-promises.mjs")
    const { stderr, status } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" })
    expect([stderr, status]).toEqual(["", 0])
  })

  it("has exactly the promises of the shared suite", () => {
    const { claims } = JSON.parse(readFileSync(join(root, "docs", "adapters.json"), "utf8"))
    const promised = Object.entries(adapterCases).map(([subject, cases]) => [subject, cases.map(({ claim }) => claim)])
    expect(claims).toEqual(Object.fromEntries(promised))
  })
  it("agrees with the adapters that a refused configuration advises", () => {
    const { columns } = JSON.parse(readFileSync(join(root, "docs", "adapters.json"), "utf8"))
    const lacked = Object.keys(lackedMethods).map((name) => {
      const engines: { without: string[] }[] = columns.filter(({ adapter }: { adapter: string }) => adapter === name)
      const inAll = featureMethods.filter((method) => engines.every(({ without }) => without.includes(method)))
      return [name, engines.length > 0 ? inAll : null]
    })
    expect(Object.fromEntries(lacked)).toEqual(lackedMethods)
  })
})
