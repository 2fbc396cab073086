import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

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

interface Row {
  readonly name: string
  readonly version: string
  readonly conditions: string
  readonly cells: Readonly<Record<string, boolean>>
}

/**
 * Writes the table of the documentation, or checks that it says what this run found.
 * @returns false if the documentation differs
 */
export function writeTable(results: readonly Result[], { isUpdate }: { readonly isUpdate: boolean }): boolean {
  const rows: Row[] = results.flatMap(({ name, version, conditions, outcomes }) => {
    const cells = Object.fromEntries(outcomes.map(({ step, error }) => [step, error === undefined]))
    return version === null ? [] : [{ name, version, conditions, cells }]
  })
  const texts = new Map([
    [dataFile, `${JSON.stringify(rows, null, 2)}\n`],
    [pageFile, replaceTable(readFileSync(pageFile, "utf8"), toTable(rows))],
  ])
  const old = [...texts].filter(([file, text]) => !existsSync(file) || readFileSync(file, "utf8") !== text)
  if (isUpdate) for (const [file, text] of old) writeFileSync(file, text)
  // A machine for which some runtime has no build cannot compare.
  if (isUpdate || old.length === 0 || rows.length < results.length) return true
  console.log("failed  docs/runtimes.md differs from this run. Write it again: npm run test:runtimes -- --update")
  return false
}

const begin = "<!-- table: begin -->"
const end = "<!-- table: end -->"

function replaceTable(page: string, table: string): string {
  return `${page.slice(0, page.indexOf(begin) + begin.length)}\n\n${table}\n${page.slice(page.indexOf(end))}`
}

function toTable(rows: readonly Row[]): string {
  const steps = [...new Set(rows.flatMap(({ cells }) => Object.keys(cells)))]
  const heads = rows.map(({ name, version }) => `${name}<br>${version}`)
  const lines = steps.map((step) => `| ${step} | ${rows.map(({ cells }) => toMark(cells[step])).join(" | ")} |\n`)
  return `| | ${heads.join(" | ")} |\n|---|${"---|".repeat(rows.length)}\n${lines.join("")}`
}

function toMark(passed: boolean | undefined): string {
  return passed === undefined ? "not run" : passed ? "yes" : "**no**"
}
