import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, describe, expect, it, vi } from "vitest"

const root = join(import.meta.dirname, "..", "..")

/** Stands in for npm: notes that it began, waits for `release` and writes the stamp's folder. */
const installer = `
  import { appendFileSync, existsSync, mkdirSync } from "node:fs"
  appendFileSync("runs", "run\\n")
  const timer = setInterval(() => {
    if (!existsSync("release")) return
    clearInterval(timer)
    mkdirSync("node_modules", { recursive: true })
  }, 5)
`

interface Folder {
  readonly path: string
  /** Starts the script for this folder. */
  start(): ChildProcess
}

const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function createFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "latchkey-ensure-deps-"))
  folders.push(path)
  const locks = join(path, "locks")
  mkdirSync(locks)
  writeFileSync(join(path, "package-lock.json"), '{ "packages": {} }')
  const npm = join(path, "npm-cli.js")
  writeFileSync(join(path, "package.json"), '{ "type": "module" }')
  writeFileSync(npm, installer)
  const env = { ...process.env, npm_execpath: npm, TMPDIR: locks, TEMP: locks }
  const args = [join(root, "scripts", "ensure-deps.mjs"), relative(root, path)]
  return { path, start: () => spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] }) }
}

/** Everything that a process has written so far. */
function record(child: ChildProcess): { readonly output: string; readonly status: Promise<number | null> } {
  const recorded = { output: "", status: new Promise<number | null>((done) => child.once("close", done)) }
  child.stdout?.on("data", (chunk) => {
    recorded.output += chunk
  })
  return recorded
}

describe("scripts/ensure-deps.mjs", () => {
  it("installs once if two commands start at once", async () => {
    const { path, start } = createFolder()
    const both = [record(start()), record(start())]
    await vi.waitFor(() => expect(both.map(({ output }) => output).join("")).toContain("Waiting for another command"), {
      timeout: 60_000,
    })
    writeFileSync(join(path, "release"), "")
    expect(await Promise.all(both.map(({ status }) => status))).toEqual([0, 0])
    expect(readFileSync(join(path, "runs"), "utf8")).toBe("run\n")
    expect(existsSync(join(path, "node_modules", ".ensure-deps"))).toBe(true)
  })

  it("takes over the lock of a command that was killed", async () => {
    const { path, start } = createFolder()
    const killed = start()
    await vi.waitFor(() => expect(existsSync(join(path, "runs"))).toBe(true), { timeout: 60_000 })
    const closed = new Promise((done) => killed.once("exit", done))
    killed.kill("SIGKILL")
    await closed
    writeFileSync(join(path, "release"), "")
    const next = start()
    const errors = next.stderr ? text(next.stderr) : ""
    expect(await record(next).status).toBe(0)
    expect(await errors).toBe("")
    expect(readFileSync(join(path, "runs"), "utf8")).toBe("run\nrun\n")
  })
})
