import { access } from "node:fs/promises"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { AnyKysely, DatabaseKind, SchemaOptions } from "@latchkey/kysely-adapter"
import type { ImportOptions } from "./import/records.js"

/** The default export of `latchkey.config.js`, `.mjs` or `.ts`. Every field is optional. */
export interface LatchkeyConfig {
  /** The database, in the form of `--url`. */
  readonly url?: string
  /** A Kysely instance, if a URL is not enough. It is destroyed when the command ends. */
  readonly db?: AnyKysely & { destroy(): Promise<void> }
  /** The kind of the instance's database, if it cannot be detected from its dialect. */
  readonly database?: DatabaseKind
  /** The options of the adapter: names, extra columns, layout. */
  readonly tables?: SchemaOptions
  /** For `latchkey import`. */
  readonly import?: ImportOptions
}

/** The process that a command runs in. */
export interface CommandContext {
  /** The folder that relative paths start from. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Standard input. Undefined when it is a terminal. */
  readonly input?: AsyncIterable<Buffer>
  /** Which streams are terminals. Default: none. */
  readonly terminals?: { readonly output: boolean; readonly errors: boolean }
  /** Asks a question on the terminal. Undefined without a terminal. */
  ask?(question: string): Promise<string>
  /** How long an app's configuration may take to load. Default: 10,000. */
  readonly loadMilliseconds?: number
  /** Writes to the standard output. */
  print(text: string): void
  /** Writes to the standard error. */
  printError(text: string): void
}

/** The command was called incorrectly. The message says what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError"
}

const defaultFiles = ["latchkey.config.js", "latchkey.config.mjs", "latchkey.config.ts"]

/**
 * Loads the configuration. Without a file, it is empty.
 * @param file A path relative to the folder. Default: the first default file that exists.
 * @throws UsageError when the file does not exist or has no default export
 */
export async function readConfig(file: string | undefined, folder: string): Promise<LatchkeyConfig> {
  const path = file === undefined ? await findFile(folder) : resolve(folder, file)
  if (path === undefined) return {}
  if (!(await exists(path))) throw new UsageError(`The file ${path} does not exist.`)
  const { default: config }: { readonly default?: unknown } = await import(pathToFileURL(path).href)
  if (typeof config !== "object" || config === null)
    throw new UsageError(`${path} has no default export. Export a configuration object.`)
  return config
}

async function findFile(folder: string): Promise<string | undefined> {
  for (const name of defaultFiles) {
    const path = resolve(folder, name)
    if (await exists(path)) return path
  }
  return undefined
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch {
    return false // Missing or not accessible, which is the same for a command.
  }
}

/** A path without the slashes at its end. A regular expression would take quadratic time for some texts. */
export function trimSlashes(path: string): string {
  let length = path.length
  while (path[length - 1] === "/") length -= 1
  return path.slice(0, length)
}
