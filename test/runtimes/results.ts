import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Size } from "./sizes.ts"

/** A step of the scenario, and why it failed. */
export interface Outcome {
  readonly step: string
  /** Undefined: the step passed. */
  readonly error?: string
}

/** The scenario on one runtime. */
export interface Result {
  readonly name: string
  /** Null: not tested. */
  readonly version: string | null
  /** How the app was installed or bundled. */
  readonly conditions: string
  readonly seconds: number
  readonly outcomes: readonly Outcome[]
}

/** The lines about one runtime for the terminal. */
export function toText({ name, version, seconds, outcomes }: Result): string {
  if (version === null) return `!!! ${name} NOT TESTED: there is no build for ${process.platform}-${process.arch} !!!`
  const failed = outcomes.filter(({ error }) => error !== undefined)
  const count = `${outcomes.length - failed.length} of ${outcomes.length} (${seconds.toFixed(1)} s)`
  const reasons = failed.map(({ step, error }) => `        ${step}: ${error}`)
  return [`${failed.length === 0 ? "ok    " : "failed"}  ${name} ${version}: ${count}`, ...reasons].join("\n")
}

const docs = join(import.meta.dirname, "..", "..", "docs")
const dataFile = join(docs, "runtimes.json")
const pageFile = join(docs, "runtimes.md")

/** A table of docs/runtimes.md. */
export interface Table {
  /** The name in the comments that begin and end it. */
  readonly name: string
  readonly lines: readonly string[]
}

interface Row {
  readonly name: string
  readonly version: string
  readonly conditions: string
  readonly cells: Readonly<Record<string, boolean>>
}

/**
 * Writes the tables of the documentation, or checks that they say what this run found.
 * @returns false if the documentation differs
 */
export function writeTables(
  results: readonly Result[],
  sizes: readonly Size[],
  { isUpdate }: { readonly isUpdate: boolean },
): boolean {
  const rows: Row[] = results.flatMap(({ name, version, conditions, outcomes }) => {
    const cells = Object.fromEntries(outcomes.map(({ step, error }) => [step, error === undefined]))
    return version === null ? [] : [{ name, version, conditions, cells }]
  })
  // A machine for which some runtime has no build cannot compare.
  if (rows.length < results.length) return true
  const tables = [
    { name: "scenario", lines: toTable(rows) },
    { name: "sizes", lines: toSizeTable(sizes) },
  ]
  const text = replaceTables(readFileSync(pageFile, "utf8"), tables)
  const data = `${JSON.stringify(rows, null, 2)}\n`
  if (isUpdate) {
    writeFileSync(dataFile, data)
    writeFileSync(pageFile, text)
  }
  if (readFileSync(pageFile, "utf8") === text && readFileSync(dataFile, "utf8") === data) return true
  console.log("failed  docs/runtimes.md differs from this run. Write it again: npm run test:runtimes -- --update")
  return false
}

/** Writes one table of the page. */
export function writeTable(table: Table): void {
  writeFileSync(pageFile, replaceTables(readFileSync(pageFile, "utf8"), [table]))
}

function replaceTables(page: string, tables: readonly Table[]): string {
  return tables.reduce((text, { name, lines }) => {
    const begin = `<!-- ${name}: begin -->`
    const end = `<!-- ${name}: end -->`
    return `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${lines.join("\n")}\n\n${text.slice(text.indexOf(end))}`
  }, page)
}

function toSizeTable(sizes: readonly Size[]): readonly string[] {
  const kilobytes = (bytes: number) => `${Math.round(bytes / 1000)} kB`
  const lines = sizes.map(({ name, ours, theirs }) => `| ${name} | ${kilobytes(ours)} | ${kilobytes(theirs)} |`)
  return ["| | Latchkey | Auth.js |", "|---|---|---|", ...lines]
}

function toTable(rows: readonly Row[]): readonly string[] {
  const steps = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))]
  const heads = rows.map(({ name, version }) => `${name}<br>${version}`)
  const lines = steps.map((step) => `| ${step} | ${rows.map(({ cells }) => toMark(cells[step])).join(" | ")} |`)
  return [`| | ${heads.join(" | ")} |`, `|---|${"---|".repeat(rows.length)}`, ...lines]
}

function toMark(passed: boolean | undefined): string {
  return passed === undefined ? "not run" : passed ? "yes" : "**no**"
}
