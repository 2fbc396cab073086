import { createHash } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileList } from "@latchkey/core/passwords"
import { afterAll, describe, expect, it } from "vitest"
import { latchkey, runHere } from "./command.js"

const folder = mkdtempSync(join(tmpdir(), "latchkey-breached-"))
afterAll(() => rmSync(folder, { recursive: true }))

const sha1Of = (text: string) => createHash("sha1").update(text).digest("hex").toUpperCase()

describe("latchkey breached build", () => {
  it("makes a filter of the passwords that were seen often enough", async () => {
    const lines = Array.from({ length: 1000 }, (_, n) => `${sha1Of(`password ${n}`)}:${n}`)
    writeFileSync(join(folder, "list.txt"), lines.join("\n"))
    const built = await latchkey(["breached", "build", "list.txt", "breached.filter"], folder)
    expect(built).toEqual({ code: 0, output: "900 passwords in 1652 bytes\n", errors: "" })
    const list = fileList(join(folder, "breached.filter"))
    expect([await list.has(sha1Of("password 100")), await list.has(sha1Of("password 7"))]).toEqual([true, false])
    const all = await runHere(["breached", "build", "list.txt", "all.filter", "--seen", "1"], { folder })
    expect(all.output).toMatch(/^999 passwords/)
  })

  it("explains what is wrong with its arguments, and with the list", async () => {
    const usage = await runHere(["breached", "build", "list.txt"], { folder })
    expect([usage.code, usage.errors]).toEqual([2, expect.stringContaining("Usage: latchkey breached build <list>")])
    const seen = await runHere(["breached", "build", "list.txt", "x", "--seen", "0"], { folder })
    expect([seen.code, seen.errors]).toEqual([2, "--seen must be a count of at least 1.\n"])
    const missing = await runHere(["breached", "build", "nowhere.txt", "x"], { folder })
    expect([missing.code, missing.errors]).toEqual([1, expect.stringContaining("nowhere.txt")])
  })
})
