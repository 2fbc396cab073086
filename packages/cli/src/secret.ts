import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { constants } from "node:fs"
import { type FileHandle, lstat, open, rename, rm } from "node:fs/promises"
import { basename, dirname, resolve } from "node:path"
import { parseArgs, parseEnv } from "node:util"
import { type CommandContext, UsageError } from "./config.js"
import { createPaint } from "./terminal.js"

const usage = `Usage: latchkey secret [options]

Prints a new secret: 33 random bytes in base64.

  --write <file>   adds it to an environment file as AUTH_SECRET, unless the file has one, and prints nothing of it
  --rotate         makes it the newest of AUTH_SECRET_1 to AUTH_SECRET_3, so that the sessions of the older secrets
                   stay valid. Without --write: prints the line to add
  --help           prints this help
`

const numbered = ["AUTH_SECRET_1", "AUTH_SECRET_2", "AUTH_SECRET_3"] as const

/** Environment files are small. A larger file was probably named by mistake. */
const maxBytes = 1024 * 1024

/** The default of `session.maxAge`, in days. */
const sessionDays = 30

/** The command may not write the file, or another process is writing it. Nothing has changed. */
class FileRefused extends Error {
  override readonly name = "FileRefused"
}

/**
 * `latchkey secret`.
 * @throws UsageError when AUTH_SECRET_3 is in use, or no secret is set that could be rotated
 * @throws FileRefused when the file is a link or a folder, is not text, or belongs to another user
 */
export async function secret(args: readonly string[], context: CommandContext): Promise<void> {
  const options = {
    write: { type: "string" },
    rotate: { type: "boolean", default: false },
    help: { type: "boolean", short: "h" },
  } as const
  const { values } = parseArgs({ args: [...args], options })
  if (values.help) return context.print(usage)
  if (values.write === "") throw new UsageError("--write needs the name of a file.")
  if (values.write !== undefined)
    return await writeSecret(resolve(context.folder, values.write), values.rotate, context)
  const value = createSecret()
  context.print(values.rotate ? `${findNextName(context.environment)}=${value}\n` : `${value}\n`)
}

function createSecret(): string {
  return randomBytes(33).toString("base64")
}

/** The name that makes a secret the newest: the highest number counts. */
function findNextName(environment: CommandContext["environment"]): string {
  if (!environment["AUTH_SECRET"] && !numbered.some((name) => environment[name]))
    throw new UsageError("There is no secret to rotate: set AUTH_SECRET first.")
  const [next] = numbered.slice(numbered.findLastIndex((name) => environment[name]) + 1)
  if (next !== undefined) return next
  throw new UsageError(
    "AUTH_SECRET_3 is in use, and the highest number is the newest secret. Once the sessions of the older secrets have ended, set AUTH_SECRET to the value of AUTH_SECRET_3 and remove AUTH_SECRET_1 to AUTH_SECRET_3.",
  )
}

async function writeSecret(file: string, isRotation: boolean, context: CommandContext): Promise<void> {
  const name = await replaceFile(file, (text) => {
    // Most readers of such files skip the mark. With a second secret, they would end all sessions of the first.
    const found = parseEnv(text.startsWith(byteOrderMark) ? text.slice(byteOrderMark.length) : text)
    if (!isRotation && found["AUTH_SECRET"]) return null
    const added = isRotation ? findNextName(found) : "AUTH_SECRET"
    return { text: addLine(text, added, createSecret()), added }
  })
  if (name === null)
    return context.print(`${basename(file)} already has AUTH_SECRET, and is unchanged. --rotate adds a newer one.\n`)
  const paint = createPaint(context)
  context.print(`${paint.good("Added")} ${name} to ${basename(file)}.\n`)
  if (isRotation) context.print(describeRotation())
  if (isKnownToGit(file))
    context.printError(
      `${createPaint(context, "errors").warning(`Git does not ignore ${basename(file)}: add it to .gitignore before you commit.`)}\n`,
    )
}

function describeRotation(): string {
  const end = new Date(Date.now() + sessionDays * 24 * 60 * 60 * 1000)
  const date = end.toLocaleDateString("en-US", { dateStyle: "long" })
  return `Keep the older secrets until session.maxAge has passed since every process has the new one: not before ${date} with the default of ${sessionDays} days.\n`
}

/** Adds a line at the end, or fills the one that has no value yet. All other bytes stay as they are. */
function addLine(text: string, name: string, value: string): string {
  const lines = text.split("\n")
  const empty = lines.findIndex((line) => isEmpty(line, name))
  if (empty >= 0) {
    const line = lines[empty] ?? ""
    const filled = `${line.slice(0, line.indexOf("=") + 1)}${value}${line.endsWith("\r") ? "\r" : ""}`
    return lines.with(empty, filled).join("\n")
  }
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n"
  const isComplete = text === "" || text === byteOrderMark || text.endsWith("\n")
  return `${text}${isComplete ? "" : lineEnd}${name}=${value}${lineEnd}`
}

/** Whether a line names a variable and gives it no value. */
function isEmpty(line: string, name: string): boolean {
  const [left = "", ...right] = line.split("=")
  const words = left.trim().split(/\s/)
  const isNamed = words.at(-1) === name && (words.length === 1 || words[0] === "export")
  return isNamed && right.length === 1 && ["", '""', "''", "``"].includes((right[0] ?? "").trim())
}

/** The byte order mark of UTF-8, one character for each byte. */
const byteOrderMark = "\u00ef\u00bb\u00bf"

interface Replacement {
  readonly text: string
  /** The name of the variable in the new text. */
  readonly added: string
}

/**
 * Replaces a file at once, so that it is never read half written. Its successor, which only one process can create, is also
 * the lock. Both are readable by their owner alone.
 * @param change Gets the text with one character for each byte, and returns null to leave it.
 */
async function replaceFile(file: string, change: (text: string) => Replacement | null): Promise<string | null> {
  const successor = `${file}.latchkey-new`
  const handle = await openSuccessor(successor)
  try {
    const replacement = change(await readText(file))
    if (replacement === null) return null
    await handle.writeFile(replacement.text, "latin1")
    await handle.sync()
    await rename(successor, file)
    return replacement.added
  } finally {
    await handle.close()
    await rm(successor, { force: true })
  }
}

async function openSuccessor(successor: string): Promise<FileHandle> {
  try {
    return await open(successor, "wx", 0o600)
  } catch (error) {
    if (codeOf(error) === "EEXIST")
      throw new FileRefused(`${successor} exists: another process is writing the file. If none is, delete it.`)
    if (codeOf(error) === "ENOENT") throw new FileRefused(`The folder ${dirname(successor)} does not exist.`)
    throw error
  }
}

/** Reads the file. A missing file is empty. */
async function readText(file: string): Promise<string> {
  const found = await lstat(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null
    throw error
  })
  if (found === null) return ""
  if (found.isSymbolicLink()) throw new FileRefused(`${file} is a symbolic link. Name the file that it leads to.`)
  if (!found.isFile()) throw new FileRefused(`${file} is not a file.`)
  if (process.getuid && found.uid !== process.getuid()) throw new FileRefused(`${file} belongs to another user.`)
  if (found.size > maxBytes) throw new FileRefused(`${file} is larger than 1 MiB.`)
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
  try {
    const text = (await handle.readFile()).toString("latin1")
    if (text.includes("\0")) throw new FileRefused(`${file} is not a text file in UTF-8.`)
    return text
  } finally {
    await handle.close()
  }
}

/** Whether the file would be in the next commit of `git add --all`. False without Git, and outside of a repository. */
function isKnownToGit(file: string): boolean {
  return spawnSync("git", ["check-ignore", "--quiet", "--", basename(file)], { cwd: dirname(file) }).status === 1
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined
}
