import { spawnSync } from "node:child_process"
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import { latchkey, type Outcome, runHere } from "./command.js"

const root = mkdtempSync(join(tmpdir(), "latchkey-secret-"))
afterAll(() => rmSync(root, { recursive: true }))

/** A new folder with an environment file. */
function makeFolder(text?: string): { folder: string; file: string } {
  const folder = mkdtempSync(join(root, "app-"))
  const file = join(folder, ".env.local")
  if (text !== undefined) writeFileSync(file, text, { encoding: "latin1", mode: 0o644 })
  return { folder, file }
}

const runSecret = (args: readonly string[], at: string, environment = {}): Promise<Outcome> =>
  runHere(["secret", ...args], { folder: at, environment })

const read = (file: string) => readFileSync(file, "latin1")
const value = "[A-Za-z0-9+/]{44}"

describe("latchkey secret", () => {
  it("prints 33 random bytes in base64, others each time", async () => {
    const { folder } = makeFolder()
    const [first, second] = await Promise.all([latchkey(["secret"], folder), runSecret([], folder)])
    expect(first).toEqual({ code: 0, output: expect.stringMatching(new RegExp(`^${value}\n$`)), errors: "" })
    expect(first.output).not.toBe(second.output)
  })

  it.each([
    ["a file that does not exist", undefined, `^AUTH_SECRET=${value}\n$`],
    ["a file without a line end", "A=1", `^A=1\nAUTH_SECRET=${value}\n$`],
    [
      "a file with CRLF, a byte order mark and Latin-1",
      "\xef\xbb\xbfA='\xe9'\r\n",
      `^\xef\xbb\xbfA='\xe9'\r\nAUTH_SECRET=${value}\r\n$`,
    ],
    ["a file whose line is empty", 'A=1\nexport AUTH_SECRET=""\r\nB=2', `^A=1\nexport AUTH_SECRET=${value}\r\nB=2$`],
    ["a file whose line is a comment", "# AUTH_SECRET=x\n", `^# AUTH_SECRET=x\nAUTH_SECRET=${value}\n$`],
    ["a file with the numbered name alone", "AUTH_SECRET_1=x\n", `^AUTH_SECRET_1=x\nAUTH_SECRET=${value}\n$`],
  ])("--write adds AUTH_SECRET to %s, for its owner alone", async (_, text, expected) => {
    const { folder, file } = makeFolder(text)
    const outcome = await runSecret(["--write", ".env.local"], folder)
    expect(outcome).toEqual({ code: 0, output: "Added AUTH_SECRET to .env.local.\n", errors: "" })
    expect(read(file)).toMatch(new RegExp(expected))
    expect([statSync(file).mode & 0o777, readdirSync(folder)]).toEqual([0o600, [".env.local"]])
  })

  it.each([
    "A=1\nAUTH_SECRET='its own'\n",
    // In front of it, the byte order mark of UTF-8.
    "\xef\xbb\xbfAUTH_SECRET=own\r\n",
  ])("--write leaves a file that has a secret: %j", async (text) => {
    const { folder, file } = makeFolder(text)
    const outcome = await runSecret(["--write", ".env.local"], folder)
    expect([outcome.code, outcome.output]).toEqual([0, expect.stringContaining("already has AUTH_SECRET")])
    expect(read(file)).toBe(text)
  })

  it("--write warns if Git does not ignore the file", async () => {
    const { folder } = makeFolder()
    spawnSync("git", ["init", "--quiet", folder])
    const shown = await runSecret(["--write", ".env.local"], folder)
    expect(shown.errors).toBe("Git does not ignore .env.local: add it to .gitignore before you commit.\n")
    writeFileSync(join(folder, ".gitignore"), ".env*\n")
    expect((await runSecret(["--write", ".env"], folder)).errors).toBe("")
  })

  it("--rotate adds the newest secret, and says how long the older ones are needed", async () => {
    const { folder, file } = makeFolder("AUTH_SECRET=first\n")
    const outcome = await runSecret(["--rotate", "--write", ".env.local"], folder)
    expect(outcome.output).toMatch(/^Added AUTH_SECRET_1 to .env.local.\nKeep the older secrets until session.maxAge/)
    await runSecret(["--rotate", "--write", ".env.local"], folder)
    expect(read(file)).toMatch(new RegExp(`^AUTH_SECRET=first\nAUTH_SECRET_1=${value}\nAUTH_SECRET_2=${value}\n$`))
  })

  it("--rotate prints the line for the secrets of the environment", async () => {
    const { folder } = makeFolder()
    const environment = { AUTH_SECRET: "first", AUTH_SECRET_2: "third" }
    const outcome = await runSecret(["--rotate"], folder, environment)
    expect(outcome.output).toMatch(new RegExp(`^AUTH_SECRET_3=${value}\n$`))
  })

  it.each([
    ["all numbers are in use", "AUTH_SECRET=a\nAUTH_SECRET_3=b\n", "set AUTH_SECRET to the value of AUTH_SECRET_3"],
    ["there is none", "A=1\n", "There is no secret to rotate"],
  ])("--rotate changes nothing if %s", async (_, text, message) => {
    const { folder, file } = makeFolder(text)
    const outcome = await runSecret(["--rotate", "--write", ".env.local"], folder)
    expect([outcome.code, outcome.errors]).toEqual([2, expect.stringContaining(message)])
    expect([read(file), readdirSync(folder)]).toEqual([text, [".env.local"]])
  })

  it("DOC-08: --write refuses links, folders, other text and other users' files", async () => {
    const { folder, file } = makeFolder("A=1\n")
    symlinkSync(file, join(folder, "link"))
    symlinkSync(join(folder, "nowhere"), join(folder, "dangling"))
    mkdirSync(join(folder, "folder"))
    writeFileSync(join(folder, "utf16"), Buffer.from("\ufeffA=1\n", "utf16le"))
    writeFileSync(join(folder, "large"), "A".repeat(1024 * 1024 + 1))
    for (const [name, message] of [
      ["link", "symbolic link"],
      ["dangling", "symbolic link"],
      ["folder", "is not a file"],
      ["utf16", "not a text file"],
      ["large", "larger than 1 MiB"],
      ["missing/.env", "does not exist"],
      ["", "needs the name of a file"],
    ] as const) {
      const outcome = await runSecret(["--write", name], folder)
      expect([name, outcome.code === 0, outcome.errors]).toEqual([name, false, expect.stringContaining(message)])
    }
    const spy = vi.spyOn(process, "getuid").mockReturnValue(statSync(file).uid + 1)
    expect((await runSecret(["--write", ".env.local"], folder)).errors).toContain("belongs to another user")
    spy.mockRestore()
    expect([read(file), existsSync(join(folder, "nowhere"))]).toEqual(["A=1\n", false])
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true)
    expect(readdirSync(folder).filter((name) => name.includes("latchkey-new"))).toEqual([])
  })

  it("DOC-08: --write adds one secret if several processes write at once", async () => {
    const { folder, file } = makeFolder("A=1\n")
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () => latchkey(["secret", "--write", ".env.local"], folder)),
    )
    expect(outcomes.filter(({ output }) => output.startsWith("Added"))).toHaveLength(1)
    expect(read(file)).toMatch(new RegExp(`^A=1\nAUTH_SECRET=${value}\n$`))
  })

  it("DOC-08: --write leaves the file as it was if the disk is full", async () => {
    const { folder, file } = makeFolder("A=1\n")
    // A limit of the shell stands in for the disk: no file may grow beyond it.
    const main = join(import.meta.dirname, "..", "src", "main.ts")
    const command = ["-c", 'ulimit -f 0; exec "$@"', "sh", process.execPath]
    const flags = ["--conditions=@latchkey/source", "--disable-warning=ExperimentalWarning"]
    const hooks = join(import.meta.dirname, "..", "..", "kysely-adapter", "test", "racer", "typescript-sources.mjs")
    const outcome = spawnSync(
      "sh",
      [...command, ...flags, "--import", hooks, main, "secret", "--write", ".env.local"],
      // Otherwise Node itself would write its compile cache.
      { cwd: folder, env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: "1" } },
    )
    expect(outcome.status).not.toBe(0)
    expect([read(file), readdirSync(folder)]).toEqual(["A=1\n", [".env.local"]])
  })
})
