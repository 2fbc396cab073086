import { access } from "node:fs/promises"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { AnyKysely, DatabaseKind, SchemaOptions } from "@latchkey/kysely-adapter"
import { UsageError } from "./surroundings.js"

/** The default export of `latchkey.config.js`, `.mjs` or `.ts`. All of it may be left out. */
export interface LatchkeyConfig {
  /** The database, as `--url` names it. */
  readonly url?: string
  /** A Kysely instance, where a URL does not say enough. It is destroyed when the command ends. */
  readonly db?: AnyKysely & { destroy(): Promise<void> }
  /** The kind of the instance's database, where its dialect does not tell. */
  readonly database?: DatabaseKind
  /** What the adapter is given: names, extra columns, layout. */
  readonly tables?: SchemaOptions
}

const defaultFiles = ["latchkey.config.js", "latchkey.config.mjs", "latchkey.config.ts"]

/**
 * @param file Relative to the folder. Default: the first of the usual names that is there.
 * @throws UsageError when the named file is not there or exports no configuration
 */
export async function readConfig(file: string | undefined, folder: string): Promise<LatchkeyConfig> {
  const path = file === undefined ? await findFile(folder) : resolve(folder, file)
  if (path === undefined) return {}
  if (!(await exists(path))) throw new UsageError(`There is no file ${path}.`)
  const { default: config }: { readonly default?: unknown } = await import(pathToFileURL(path).href)
  if (typeof config !== "object" || config === null) throw new UsageError(`${path} has no default export.`)
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
    return false // Not there, or not for us: the same to a command.
  }
}
