import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { renderProviderTable } from "./provider-table.js"

const document = join(import.meta.dirname, "..", "..", "docs", "providers.md")

describe("docs/providers.md", () => {
  it("matches the provider modules", async () => {
    const text = await renderProviderTable()
    expect(text.split("\n").filter((line) => line.startsWith("| ")).length).toBeGreaterThan(120)
    await expect(text).toMatchFileSnapshot(document)
  })
})
