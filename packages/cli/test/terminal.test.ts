import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { columns, createProgress, escapeText, toJsonLine, wrap } from "../src/terminal.js"
import { runHere, startLatchkey } from "./command.js"

const terminals = { output: true, errors: true }

function progressOn(given: object) {
  const written: string[] = []
  const print = (text: string) => void written.push(text)
  const progress = createProgress({ folder: ".", environment: {}, print, printError: print, ...given })
  return { progress, written }
}

describe("the progress of a command", () => {
  it("is shown on a terminal alone", () => {
    for (const given of [
      {},
      { terminals: { output: true, errors: false } },
      { terminals, environment: { TERM: "dumb" } },
    ]) {
      const { progress, written } = progressOn(given)
      progress.step("Checking")
      progress.clear()
      expect(written).toEqual([])
    }
  })

  it("replaces its line, fits it, and removes it", () => {
    const { progress, written } = progressOn({ terminals, environment: { NO_COLOR: "1" } })
    progress.step(`${"x".repeat(200)}\n\u001b[2J`)
    progress.clear()
    expect(written).toEqual(["\r\u001b[2K", "x".repeat(columns - 1), "\r\u001b[2K"])
  })
})

describe("text of others on a terminal", () => {
  it.each([
    ["an escape", "a\u001b[2Jb", "a?[2Jb"],
    ["a control character of C1", "a\u009b2Jb", "a?2Jb"],
    ["a line end", "a\r\nb", "a??b"],
    ["a mark of direction", "a\u202eb\u2066c", "a?b?c"],
    ["an invisible character", "a\u200bb\u{e0041}", "a?b?"],
    ["a long text", "a".repeat(600), "a".repeat(500)],
    ["words of any script", "Ünïcode 漢字 العربية ✓ €", "Ünïcode 漢字 العربية ✓ €"],
  ])("has no %s", (_, text, shown) => {
    expect(escapeText(text)).toBe(shown)
  })

  it("is escaped in JSON, and means the same", () => {
    const value = { text: 'a\u001b[2J\u009b2Jb\u202ec\u{e0041}d\u200b Ünïcode 漢字 "\\\n' }
    const line = toJsonLine(value)
    expect(line.trimEnd()).not.toMatch(/\p{C}/u)
    expect(line).toContain("Ünïcode 漢字")
    expect(JSON.parse(line)).toEqual(value)
  })

  it("is wrapped at 80 columns, and a longer word has its own line", () => {
    const lines = wrap(`${"word ".repeat(40)}${"y".repeat(100)} end`, "    ", "  - ")
    expect(lines[0]).toMatch(/^ {2}- word/)
    expect(lines.filter((line) => line.length > columns)).toEqual([`    ${"y".repeat(100)}`])
    expect(wrap("", "  ")).toEqual([""])
  })
})

describe("an error of a command", () => {
  it("shows nothing that a terminal would obey, such as the name of a folder, and keeps its lines", async () => {
    const { code, errors } = await runHere(["move", "\u001b]0;owned\u0007\u202efolder"], { folder: tmpdir() })
    expect(code).toBe(1)
    expect(errors).toMatch(/^The folder .*\?\]0;owned\?\?folder does not exist\.\n$/)
    const { errors: usage } = await runHere([], { folder: tmpdir() })
    expect(usage).toMatch(/^Usage: latchkey <command>\n\n {2}migrate/)
  })
})

describe("an output that cannot be written", () => {
  it.skipIf(!existsSync("/dev/full"))("is told, without a stack trace", () => {
    const full = openSync("/dev/full", "w")
    const child = startLatchkey(["--help"], tmpdir(), {}, ["ignore", full, "pipe"])
    closeSync(full)
    return expect(ended(child)).resolves.toEqual([
      1,
      expect.stringMatching(/^The output could not be written: ENOSPC[^\n]*\n$/),
    ])
  })

  it("does not end a command whose reader has seen enough, so that it does all or nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "latchkey-terminal-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const child = startLatchkey(["secret", "--write", ".env"], folder)
    child.stdout?.destroy()
    expect(await ended(child)).toEqual([0, ""])
    expect(readFileSync(join(folder, ".env"), "utf8")).toMatch(/^AUTH_SECRET=/)
  })
})

async function ended(child: ChildProcess): Promise<[code: unknown, errors: string]> {
  let errors = ""
  child.stderr?.on("data", (chunk) => {
    errors += String(chunk)
  })
  const [code] = await once(child, "close")
  return [code, errors]
}
