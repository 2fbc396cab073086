import { access, chmod, constants, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** The folder that holds everything the demo keeps. Only its owner may look into it. */
export interface DataFolder {
  readonly path: string
  /** Path of a file in it. */
  file(name: string): string
  /** The content of a JSON file, or null when there is no such file. */
  readJson(name: string): Promise<unknown>
  /**
   * Writes a JSON file that only its owner may read (mode 600). False when it exists already; it is then left as it is.
   */
  createJson(name: string, content: unknown): Promise<boolean>
}

/** @throws when the folder cannot be made or written to; the message names it. */
export async function openDataFolder(path: string): Promise<DataFolder> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    await access(path, constants.W_OK)
  } catch (cause) {
    throw new Error(`The demo cannot write to its data folder ${path}. Name another one in LATCHKEY_DEMO_DATA.`, {
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
    // A folder that was copied may have lost the mode under which the file was made.
    await chmod(path, 0o600)
    text = await readFile(path, "utf8")
  } catch (error) {
    if (isErrno(error, "ENOENT")) return null
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    // The parser's message quotes the text, which may be a secret.
    throw new Error(`${path} is damaged. Delete it; a new one is made at the next start.`)
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
