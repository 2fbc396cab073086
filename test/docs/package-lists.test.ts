import { globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const published = globSync("packages/*/package.json", { cwd: root })
  .filter((manifest) => JSON.parse(read(manifest)).private !== true)
  .map((manifest) => dirname(manifest).replaceAll("\\", "/"))

describe("README.md", () => {
  it("has a row for each published package, and for no other", () => {
    const rows = [...read("README.md").matchAll(/^\| \[`[^`]+`\]\((packages\/[^)]+)\) \|/gm)].map(
      ([, folder]) => folder,
    )
    expect(rows.toSorted()).toEqual(published.toSorted())
  })
})

const notIn = (...folders: string[]) => ({ cwd: root, exclude: [...folders, "**/node_modules/**", "**/dist/**"] })
const documents = globSync(
  ["*.md", ".changeset/*.md", "{docs,packages,apps}/**/*.md"],
  notIn("**/CHANGELOG.md", "docs/generated/**"),
)
const sources = globSync(["*.y{a,}ml", "{packages,apps,scripts}/**/*.{ts,tsx,js,mjs,vue,svelte,json}"], notIn())

/** Commands that download a package that is not installed, and the flags before its name. */
const runners = /\b(npx|bunx|pnpx|bun x|npm (?:exec|x)|(?:pnpm|yarn) dlx)((?: -\S+)*) (?=[@\w])(\S+)/g

/** Those that would run whatever has the name on the registry. */
function findDownloads(text: string): readonly string[] {
  return [...text.matchAll(runners)]
    .filter(
      ([, runner = "", flags = ""]) => !/^(?:npx|bunx|npm exec)$/.test(runner) || !/ --no(?:-install)?\b/.test(flags),
    )
    .map(([command]) => command)
}

describe("commands in documents and messages", () => {
  it("run installed packages alone, and download none", () => {
    expect(findDownloads("npx latchkey, pnpm dlx latchkey, npx --yes latchkey, npx --no latchkey")).toHaveLength(3)
    expect(documents.length).toBeGreaterThan(100)
    expect(documents.flatMap((path) => findDownloads(read(path)).map((command) => `${path}: ${command}`))).toEqual([])
  })

  it("run the installed `latchkey` alone in sources, which print them", () => {
    const found = sources.flatMap((path) => findDownloads(read(path)).map((command) => `${path}: ${command}`))
    expect(sources.length).toBeGreaterThan(500)
    expect(found.filter((command) => /\blatchkey(?:@\S*)?\W*$/.test(command))).toEqual([])
  })

  it("tell at each installation where the packages are until they are published", () => {
    const notice =
      /^The packages are not on the npm registry yet: until they are, \[add them from the repository\]\((?:\.\.\/)+README\.md#installation\)\.$/m
    const installing = documents.filter((path) =>
      /\b(?:npm|pnpm|yarn|bun|deno) (?:install|i|add) .*latchkey/.test(read(path)),
    )
    expect(installing.length).toBeGreaterThan(50)
    expect(installing.filter((path) => !notice.test(read(path)))).toEqual([])
  })
})
