import { spawn } from "node:child_process"
import { constants } from "node:fs"
import { lstat, open, readFile, realpath, rename, rm } from "node:fs/promises"
import { basename, dirname, join, posix, resolve, sep } from "node:path"

/** The command cannot or must not change the project. Nothing has changed. */
export class MoveRefused extends Error {
  override readonly name = "MoveRefused"
}

/** A file that may be changed. */
export interface ProjectFile {
  /** Relative to the folder, with slashes. */
  readonly path: string
  readonly text: string
}

/** The files of a project that Git knows. */
export interface Project {
  readonly folder: string
  readonly files: readonly ProjectFile[]
  /** Files that may name a package of Auth.js and cannot be changed. */
  readonly unreadable: readonly string[]
}

/** The result of another program. */
export interface ToolResult {
  /** Null if it could not be started. */
  readonly code: number | null
  readonly output: string
}

/** Runs another program, without a shell, and returns its output. */
export function runTool(command: string, args: readonly string[], folder: string): Promise<ToolResult> {
  const child = spawn(command, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  })
  const parts: Buffer[] = []
  child.stdout.on("data", (part: Buffer) => void parts.push(part))
  child.stderr.on("data", (part: Buffer) => void parts.push(part))
  return new Promise((done) => {
    child.once("error", (error) => done({ code: null, output: error.message }))
    child.once("close", (code) => done({ code, output: Buffer.concat(parts).toString() }))
  })
}

/** Larger files are data, or were made by a program. */
const maxBytes = 1024 * 1024

const wanted =
  /(?:\.(?:[cm]?[jt]sx?|svelte|vue|astro)|(?:^|\/)(?:package|turbo|tsconfig[\w.-]*)\.jsonc?|(?:^|\/)pnpm-workspace\.yaml|(?:^|\/)(?:docker-)?compose[\w.-]*\.ya?ml|(?:^|\/)\.env[\w.-]*\.(?:example|sample|template|dist)|(?:^|\/)(?:\.env\.)?(?:example|sample)\.env|(?:^|\/)\.env\.local\.example)$/

/**
 * Reads the project. Only regular files that Git knows are read: no links, no submodules, and nothing that Git ignores.
 * @throws MoveRefused when it is not in a Git repository, or Git has changes that are not committed
 */
export async function readProject(given: string, { isDryRun }: { readonly isDryRun: boolean }): Promise<Project> {
  const folder = await realpath(given).catch(() => {
    throw new MoveRefused(`The folder ${given} does not exist.`)
  })
  const status = await runTool("git", ["status", "--porcelain", "--", "."], folder)
  if (status.code === null)
    throw new MoveRefused("Git could not be started. Install it, and run the command again: nothing could be undone.")
  if (/not a git repository/i.test(status.output))
    throw new MoveRefused(`${folder} is not in a Git repository, so nothing could be undone. Commit it first.`)
  if (status.code !== 0) throw new MoveRefused(`Git cannot read the repository of ${folder}: ${status.output.trim()}`)
  if (!isDryRun && status.output.trim() !== "")
    throw new MoveRefused(
      "Git has changes that are not committed. Commit or stash them first, so that the move can be undone.",
    )
  const listed = await runTool("git", ["ls-files", "-z", "--stage"], folder)
  const paths = listed.output.split("\0").flatMap((line) => {
    const [mode = "", path = ""] = [line.slice(0, 6), line.slice(line.indexOf("\t") + 1)]
    return mode.startsWith("100") && wanted.test(path) ? [path] : []
  })
  const files: ProjectFile[] = []
  const unreadable: string[] = []
  const all = [...new Set(paths)]
  for (let from = 0; from < all.length; from += readAtOnce) {
    const some = all.slice(from, from + readAtOnce)
    const texts = await Promise.all(some.map((path) => readText(folder, path)))
    for (const [index, path] of some.entries()) {
      const text = texts[index]
      if (typeof text === "string") files.push({ path, text })
      else if (text === undefined) unreadable.push(path)
    }
  }
  return { folder, files, unreadable }
}

/** Files that are read at a time. */
const readAtOnce = 64

/** Null for a file that is not there or not regular, undefined for one that names Auth.js and is too large or no UTF-8. */
async function readText(folder: string, path: string): Promise<string | null | undefined> {
  const file = join(folder, path)
  if (!(await isRegular(folder, file))) return null
  const bytes = await readFile(file)
  const isNamed = bytes.includes("next-auth") || bytes.includes("@auth/")
  if (bytes.length > maxBytes) return isNamed ? undefined : null
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return isNamed ? undefined : null
  }
}

/** Whether a path leads to a regular file inside the folder, over no link. */
async function isRegular(folder: string, file: string): Promise<boolean> {
  const found = await lstat(file).catch(() => null)
  if (!found?.isFile()) return false
  const parent = await realpath(dirname(file))
  return parent === dirname(file) && (parent === folder || parent.startsWith(folder + sep))
}

/**
 * Replaces a file at once, so that it is never half written, also if the process is killed.
 * @throws MoveRefused if it has changed since it was read
 */
export async function replaceFile(folder: string, { path, text }: ProjectFile, after: string): Promise<void> {
  const file = resolve(folder, path)
  const successor = join(dirname(file), `.${basename(file)}.latchkey-new`)
  if (!(await isRegular(folder, file)) || (await readFile(file)).compare(Buffer.from(text)) !== 0)
    throw new MoveRefused(`${path} has changed since it was read. Run the command again.`)
  const { mode } = await lstat(file)
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(successor, flags, mode & 0o777)
  try {
    await handle.writeFile(after)
    await handle.chmod(mode & 0o777)
    await handle.sync()
    await rename(successor, file)
  } finally {
    await handle.close()
    await rm(successor, { force: true })
  }
}

/** The folder of a path in the project, empty for the root. */
export function folderOf(path: string): string {
  const folder = posix.dirname(path)
  return folder === "." ? "" : folder
}
