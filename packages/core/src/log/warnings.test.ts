import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import type { WarningCode } from "../types/logger.js"
import { consoleLogger } from "./console.js"
import { describeWarning } from "./warnings.js"

const root = join(import.meta.dirname, "../../../..")
const types = readFileSync(join(import.meta.dirname, "../types/logger.ts"), "utf8")
const codes = [...types.matchAll(/^ {2}\| "([a-z-]+)"$/gm)]
  .map(([, code]) => code as WarningCode)
  .filter((code) => code !== "experimental-webauthn")

describe("a warning on the console", () => {
  it.each(codes)("explains %s in whole sentences, and names a section of a guide", (code) => {
    const [, text = "", guide = "", anchor] =
      /^ {2}([A-Z`].+\.) Read more: (docs\/guides\/[a-z-]+\.md)(?:#(.+))?$/.exec(describeWarning(code)) ?? []
    expect(text.length).toBeGreaterThan(40)
    expect(existsSync(join(root, guide))).toBe(true)
    const headings = readFileSync(join(root, guide), "utf8").match(/^#+ .*$/gm) ?? []
    const anchors = headings.map((heading) => heading.replace(/^#+ /, "").toLowerCase().replaceAll(" ", "-"))
    if (anchor !== undefined) expect(anchors).toContain(anchor)
  })

  it("has its code on one line, and the explanation on the next", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    consoleLogger.warn("weak-secret")
    expect(warn.mock.calls).toEqual([["[auth][warn][weak-secret]"]])
    await vi.waitFor(() => expect(warn.mock.calls[1]).toEqual([describeWarning("weak-secret")]))
    warn.mockRestore()
  })

  it("leads to the guide for a code of another version", () => {
    const unknown: string = "constructor"
    expect(describeWarning(unknown as WarningCode)).toBe("  Read more: docs/guides/security.md")
  })
})
