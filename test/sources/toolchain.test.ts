import { globSync, readFileSync } from "node:fs"
import { dirname, join, sep } from "node:path"
import { describe, expect, it } from "vitest"
import { projects } from "../../vitest.config.js"

const root = join(import.meta.dirname, "..", "..")
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"))

describe("npm test", () => {
  it("runs on a Node that the packages support, whatever the installed version is", () => {
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
    expect(major * 100 + minor).toBeGreaterThanOrEqual(2218)
  })

  it("resolves imports of our packages to their sources", () => {
    expect(import.meta.resolve("@latchkey/core")).toMatch(/packages\/core\/src\/index\.ts$/)
  })
})

describe("package.json", () => {
  it.each(["package.json", "scripts/node/package.json", "scripts/tools/package.json"])(
    "has exact versions only: %s",
    (path) => {
      const { dependencies, devDependencies } = readJson(path) as Record<string, Record<string, string>>
      const versions = Object.entries({ ...dependencies, ...devDependencies })
      const loose = versions.filter(([, version]) => !/^(npm:[^@]+@)?\d+\.\d+\.\d+$/.test(version))
      expect(loose).toEqual([])
    },
  )

  it("has at most 25 scripts", () => {
    const { scripts } = readJson("package.json") as { scripts: Record<string, string> }
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(25)
  })
})

describe("vitest.config.ts", () => {
  it("has each test file of the repository in one project", () => {
    const inFolders = { cwd: root, exclude: ["**/node_modules/**"] }
    const withOwnConfig = globSync("test/**/vitest.config.ts", inFolders).map((file) => dirname(file))
    const files = globSync("{packages,apps/demo,bench,test}/**/*.test.{ts,tsx}", inFolders)
    const own = files.filter((file) => !withOwnConfig.some((folder) => file.startsWith(join(folder, sep))))
    const chosen = projects.flatMap(({ test: { include, exclude = [] } }) =>
      globSync(include, { ...inFolders, exclude: [...inFolders.exclude, ...exclude] }),
    )
    expect(chosen.sort()).toEqual(own.sort())
  })
})

describe("a vitest.config.ts beside another lock file", () => {
  const inTests = { cwd: join(root, "test"), exclude: ["**/node_modules/**"] }
  const locked = globSync("**/package-lock.json", inTests).map((file) => dirname(file))
  const lockOf = (folder: string): string | undefined =>
    folder === "." || locked.includes(folder) ? folder : lockOf(dirname(folder))
  const configs = globSync("**/vitest.config.ts", inTests).filter((file) => lockOf(dirname(file)) !== ".")

  // A run deletes the modules that a run with another lock file has cached.
  it.each(configs)("has a cache of its own: %s", async (file) => {
    const { default: config } = await import(join(root, "test", file))
    const folder = join(root, "test", lockOf(dirname(file)) ?? "", "node_modules")
    expect(config.test.fsModuleCachePath).toBe(join(folder, ".vitest-cache"))
  })
})
