import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"

const root = join(import.meta.dirname, "..", "..")

interface Data {
  readonly readBy: Readonly<Record<string, string | null>>
  readonly messages: Readonly<Record<string, string | Readonly<Record<string, string>>>>
}

const data: Data = JSON.parse(readFileSync(join(root, "docs", "languages.json"), "utf8"))

let folder = ""
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "languages-"))
})
afterEach(() => {
  rmSync(folder, { recursive: true })
})

function check(messages: Data["messages"]): readonly [stderr: string, status: number | null] {
  const file = join(folder, "changed.json")
  writeFileSync(file, JSON.stringify({ ...data, messages }))
  return run("--check", file)
}

function run(...args: readonly string[]): readonly [stderr: string, status: number | null] {
  const script = join(root, "scripts", "languages.mjs")
  const { stderr, status } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" })
  return [stderr, status]
}

// `npm run check` runs it over the translations themselves.
describe("npm run generate -- languages", () => {
  it("names each language with the messages that were made from other English", () => {
    const { "signIn.or": hash, "factor.code.label": other, ...others } = data.messages
    const stale = {
      ...others,
      "signIn.or": { [String(hash)]: "fr", "00000000": "de" },
      "factor.code.label": "00000000",
    }
    const [stderr, status] = check(stale)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^de: the English has changed: signIn\.or, factor\.code\.label$/m)
    expect(stderr).toMatch(/^fr: the English has changed: factor\.code\.label$/m)
    expect(stderr.match(/^[\w-]+: the English/gm)).toHaveLength(Object.keys(data.readBy).length)
    expect(other).toMatch(/^[0-9a-f]{8}$/)
  })

  it("names a message that was added", () => {
    const { "mail.subject": _, ...others } = data.messages
    expect(check(others)[0]).toContain("de: the English has changed: mail.subject")
  })

  it("lists every language that can be imported, with a note in the files that no speaker has read", () => {
    const languages = join(root, "packages", "core", "src", "messages", "languages")
    const files = readdirSync(languages).filter((file) => file !== "all.ts")
    expect(
      Object.keys(data.readBy)
        .map((tag) => `${tag.toLowerCase()}.ts`)
        .sort(),
    ).toEqual(files.sort())
    for (const [tag, reader] of Object.entries(data.readBy)) {
      const hasNote = readFileSync(join(languages, `${tag.toLowerCase()}.ts`), "utf8").includes(
        "not yet read by a speaker",
      )
      expect(hasNote, tag).toBe(reader === null)
    }
  })
})
