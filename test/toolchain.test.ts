import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..")
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"))

describe("npm test", () => {
  it("runs on Node 24, independent of the installed version", () => {
    expect(process.versions.node).toMatch(/^24\./)
  })

  it("resolves imports of our packages to their sources", () => {
    expect(import.meta.resolve("@latchkey/core")).toMatch(/packages\/core\/src\/index\.ts$/)
  })
})

describe("package.json", () => {
  it("has exact versions only", () => {
    const { devDependencies } = readJson("package.json") as { devDependencies: Record<string, string> }
    const loose = Object.entries(devDependencies).filter(([, version]) => !/^(npm:[^@]+@)?\d+\.\d+\.\d+$/.test(version))
    expect(loose).toEqual([])
  })
})
