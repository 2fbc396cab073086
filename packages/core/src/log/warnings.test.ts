import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, vi } from "vitest"
import type { WarningCode } from "../types/logger.js"
import { consoleLogger } from "./console.js"
import { describeWarning } from "./warnings.js"

const root = join(import.meta.dirname, "../../../..")
const folder = join(root, "docs/guides")
const guides = readdirSync(folder).map((name) =>
  readFileSync(join(folder, name), "utf8").replace(/^---\n.*?\n---\n+/s, ""),
)
const types = readFileSync(join(import.meta.dirname, "../types/logger.ts"), "utf8")
const [, warnings = ""] = /export type WarningCode =\n(.*?)\n\n/s.exec(types) ?? []
const codes = [...warnings.matchAll(/^ {2}\| "([a-z-]+)"$/gm)]
  .map(([, code]) => code as WarningCode)
  .filter((code) => code !== "experimental-webauthn")

describe("a warning on the console", () => {
  it.each(codes)("explains %s in whole sentences, and names a guide and its section", (code) => {
    const [, text = "", title, section] =
      /^([A-Z`].+\.) See the guide "([^"]+)"(?:, section "([^"]+)")?\.$/.exec(describeWarning(code)) ?? []
    expect(text.length).toBeGreaterThan(40)
    const guide = guides.find((markdown) => markdown.startsWith(`# ${title}\n`))
    expect(guide).toBeDefined()
    if (section !== undefined) expect(guide).toContain(`\n## ${section}\n`)
  })

  it("has its code and the explanation on one line, in the order of the warnings", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {})
    consoleLogger.warn("weak-secret")
    consoleLogger.warn("option-unknown", "sesion: unknown option. Did you mean session?")
    consoleLogger.warn("provider-unusable", "providers.x.apiKey: is missing")
    await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(3))
    expect(warn.mock.calls).toEqual([
      [`[auth][warn][weak-secret] ${describeWarning("weak-secret")}`],
      [
        `[auth][warn][option-unknown] sesion: unknown option. Did you mean session? ${describeWarning("option-unknown")}`,
      ],
      [`[auth][warn][provider-unusable] providers.x.apiKey: is missing. ${describeWarning("provider-unusable")}`],
    ])
    warn.mockRestore()
  })

  it("leads to the guide for a code of another version", () => {
    const unknown: string = "constructor"
    expect(describeWarning(unknown as WarningCode)).toBe(
      'See the guide "Security details", section "Warnings in the log".',
    )
  })

  it("names guides that the readme in the package lists", () => {
    const readme = readFileSync(join(root, "packages/core/README.md"), "utf8").replace(/\s+/g, " ").toLowerCase()
    for (const code of codes) {
      const [, title = ""] = /the guide "([^"]+)"/.exec(describeWarning(code)) ?? []
      expect(readme).toContain(title.toLowerCase())
    }
  })
})
