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
