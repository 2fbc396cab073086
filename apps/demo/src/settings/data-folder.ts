import { access, chmod, constants, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

/** The folder with all data of the demo. Only its owner can read it. */
export interface DataFolder {
  readonly path: string
  /** The path of a file in the folder. */
  file(name: string): string
  /** The content of a JSON file, or null if it does not exist. */
  readJson(name: string): Promise<unknown>
  /**
   * Creates a JSON file that only its owner can read (mode 600).
   * @returns false if the file exists; it is not changed
   */
  createJson(name: string, content: unknown): Promise<boolean>
}

/** @throws when the folder cannot be created or written to; the message contains its path */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.W_OK)
  } catch (cause) {
    throw new Error(`The demo cannot write to its data folder ${path}. Set LATCHKEY_DEMO_DATA to another folder.`, {
      cause,
    })
  }
  const file = (name: string): string => join(path, name)
  return {
    path,
    file,
    readJson: (name) => readJson(file(name)),
    createJson: (name, content) => createJson(file(name), content),
  }
}

async function readJson(path: string): Promise<unknown> {
  let text: string
  try {
    // A copied folder may have lost the file's mode.
    await chmod(path, 0o600)
    text = await readFile(path, "utf8")
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message would quote the text, which may be a secret.
    throw new Error(`${path} is damaged. Delete it; the next start creates a new one.`)
  }
}

async function createJson(path: string, content: unknown): Promise<boolean> {
  try {
    await writeFile(path, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (isErrno(error, "EEXIST")) return false
    throw error
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code
}

/** How long a statement waits while another demo writes to the same file. */
const busyTimeoutMs = 5000

/** Opens a database file, and creates it if missing. */
export function openDatabase(file: string): DatabaseSync {
  return new DatabaseSync(file, { timeout: busyTimeoutMs })
}
