import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { parseEnv } from "node:util"
import type { Fix } from "./finding.js"

/** Where a line stands, for a fix. */
export type Place = Pick<Fix, "file" | "line">

/** The variables of an app, and where each is written. */
export interface AppEnvironment {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The file and the line that set a variable. Without them, the process does. */
  readonly places: Readonly<Record<string, Place>>
  /** The environment files that exist, the strongest first. */
  readonly files: readonly string[]
}

/** The files of an app, read and never run. */
export interface AppFiles {
  readonly folder: string
  /** Name of a file as it is shown. */
  show(path: string): string
  /** The source files, without their comments; lines keep their numbers. */
  readonly sources: readonly Source[]
  /** The packages that package.json names, with their ranges. */
  readonly dependencies: Readonly<Record<string, string>>
}

/** A source file. */
export interface Source {
  readonly path: string
  readonly text: string
}

/** The text of a file, without a byte order mark. Null if it does not exist, is not a regular file, or is larger than 1 MiB. */
export function readText(path: string): string | null {
  try {
    const { size } = statSync(path)
    return size > 1_048_576 ? null : readFileSync(path, "utf8").replace(/^\uFEFF/, "")
  } catch {
    return null // Missing, a folder, or not readable, which is the same here.
  }
}

/** The folder of the package that a file belongs to, where its app is started. */
export function findAppFolder(file: string): string {
  const start = dirname(file)
  for (let folder = start; ; folder = dirname(folder)) {
    if (readText(join(folder, "package.json")) !== null) return folder
    if (folder === dirname(folder)) return start
  }
}

/** The fields of a file of JSON, such as package.json. Empty if it cannot be read. */
export function readJson(path: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(readText(path) ?? "{}"))
  } catch {
    return {}
  }
}

/**
 * Reads the environment files of an app, in the order of Next.js and Vite: those of the mode win over `.env`, local ones over
 * all, and the process over every file.
 * @param shownFrom The folder that the paths of places are relative to.
 */
export function readEnvironment(
  folder: string,
  shownFrom: string,
  environment: AppEnvironment["variables"],
): AppEnvironment {
  const mode = environment["NODE_ENV"] || "production"
  const names = [`.env.${mode}.local`, ".env.local", `.env.${mode}`, ".env"]
  const variables: Record<string, string | undefined> = { ...environment }
  const places: Record<string, Place> = {}
  const files: string[] = []
  for (const name of names) {
    const text = readText(join(folder, name))
    if (text === null) continue
    const file = relative(shownFrom, join(folder, name))
    files.push(file)
    for (const [key, value] of Object.entries(parseEnv(text))) {
      if (variables[key] !== undefined) continue
      variables[key] = value
      places[key] = { file, ...findLine(text, new RegExp(`^\\s*(?:export\\s+)?${key}\\s*=`)) }
    }
  }
  return { variables: expand(variables, places), places, files }
}

const modes = ["", ".development", ".production", ".test"]

/**
 * Without what environment files of a folder set. Bun reads them before the command starts, those of development among them:
 * they are no variables of the process, and are read again in the order of frameworks.
 */
export function withoutFileVariables(
  environment: AppEnvironment["variables"],
  folder: string,
): AppEnvironment["variables"] {
  const names = modes.flatMap((mode) => [`.env${mode}`, `.env${mode}.local`])
  const written = names.flatMap((name) => Object.entries(parseEnv(readText(join(folder, name)) ?? "")))
  // A value that names another variable was replaced.
  const isWritten = (key: string, value: string | undefined) =>
    written.some(([name, text]) => name === key && (text === value || text?.includes("$")))
  return Object.fromEntries(Object.entries(environment).filter(([name, value]) => !isWritten(name, value)))
}

/** With `${NAME}` in the values of files replaced, as frameworks do. */
function expand(variables: AppEnvironment["variables"], places: AppEnvironment["places"]): AppEnvironment["variables"] {
  const read = (value: string | undefined, depth: number): string | undefined =>
    depth > 5
      ? value
      : value?.replace(/(?<!\\)\$\{(\w+)\}/g, (_, name: string) => read(variables[name], depth + 1) ?? "")
  const entries = Object.entries(variables).map(([name, value]): [string, string | undefined] => [
    name,
    name in places ? read(value, 0) : value,
  ])
  return Object.fromEntries(entries)
}

/** The first line that a pattern matches, counted from 1. */
export function findLine(text: string, pattern: RegExp): { readonly line?: number } {
  const index = text.split("\n").findIndex((line) => pattern.test(line))
  return index === -1 ? {} : { line: index + 1 }
}

const sourceFile = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/
const skipped = /^(?:node_modules|dist|build|out|coverage|test|tests|__tests__|\..*)$/
const maxFiles = 2000

/** The source files of an app, without its dependencies, its tests and what was built. At most 2,000. */
export function listSources(folder: string): readonly string[] {
  const found: string[] = []
  const visit = (at: string, depth: number) => {
    for (const entry of readdirSync(at, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (found.length >= maxFiles) return
      const path = join(at, entry.name)
      if (entry.isDirectory() && depth < 12 && !skipped.test(entry.name)) visit(path, depth + 1)
      else if (entry.isFile() && sourceFile.test(entry.name) && !/\.(?:test|spec|d)\.\w+$/.test(entry.name))
        found.push(path)
    }
  }
  try {
    visit(folder, 0)
  } catch {
    // A folder that cannot be read ends the search: what was found is enough to look at.
  }
  return found
}
