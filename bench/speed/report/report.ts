import { existsSync, readFileSync } from "node:fs"
import { cpus, loadavg, release, type } from "node:os"
import { join } from "node:path"
import { largest } from "./statistics.ts"

/** The results of one scenario. */
export interface Report {
  readonly id: string
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
  readonly verdicts: readonly Verdict[]
  readonly notes: readonly string[]
  /** Drawn into `plots/`. Default: none. */
  readonly charts?: readonly Chart[]
}

/** Lines over a common axis. */
export interface Chart {
  /** The name of the file, without its extension. */
  readonly id: string
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  readonly series: readonly Series[]
}

export interface Axis {
  readonly label: string
  /** Default: false. */
  readonly isLog?: boolean
  /** Whether only whole numbers are labeled. Default: false. */
  readonly isWhole?: boolean
}

export interface Series {
  readonly name: string
  readonly points: readonly (readonly [x: number, y: number])[]
}

/** A goal compared with the measured value. */
export interface Verdict {
  readonly goal: string
  readonly measured: string
  readonly isReached: boolean
  /** Worse than half of the goal, more than noise explains. */
  readonly isFarOff: boolean
}

type VerdictText = Pick<Verdict, "goal" | "measured">

/** How many times worse than the goal, or the usual result, a value may be before CI fails. */
const tolerance = 2

/**
 * The value should be at least the goal.
 * @param usual The usual result where the goal is not reached yet; `isFarOff` is relative to it.
 */
export function atLeast(goal: number, measured: number, text: VerdictText, usual: number = goal): Verdict {
  // Negated, so that NaN is far off.
  return { ...text, isReached: measured >= goal, isFarOff: !(measured >= usual / tolerance) }
}

/**
 * The value should be at most the goal.
 * @param usual The usual result where the goal is not reached yet; `isFarOff` is relative to it.
 */
export function atMost(goal: number, measured: number, text: VerdictText, usual: number = goal): Verdict {
  return { ...text, isReached: measured <= goal, isFarOff: !(measured <= usual * tolerance) }
}

const bench = join(import.meta.dirname, "..", "..")
const measuredPackages = ["@latchkey/core", "@auth/core", "@auth/express", "better-auth", "iron-session", "express"]

/** Processor, runtime, measured versions and load average, one line each. */
export function describeMachine(): readonly string[] {
  const processors = cpus()
  const versions = measuredPackages.map((name) => `${name} ${readVersion(name)}`)
  return [
    `${processors.length} × ${processors[0]?.model.trim() ?? "unknown processor"}, ${type()} ${release()}`,
    `Node ${process.versions.node}, V8 ${process.versions.v8}, OpenSSL ${process.versions.openssl}`,
    versions.join(", "),
    `${new Date().toISOString().slice(0, 10)}, load average ${loadavg()[0]?.toFixed(1)} before the run`,
  ]
}

/** The version of a package installed in the bench or in the workspace. */
export function readVersion(name: string): string {
  const places = [bench, join(bench, "..")].map((folder) => join(folder, "node_modules", name, "package.json"))
  const place = places.find((each) => existsSync(each))
  if (place === undefined) throw new Error(`${name} is not installed`)
  // npm installs nothing without a version.
  return (JSON.parse(readFileSync(place, "utf8")) as { version: string }).version
}

/** A report for the terminal. */
export function toText({ id, title, columns, rows, verdicts, notes }: Report): string {
  const goals = verdicts.map(
    ({ goal, measured, isReached }) => `   ${isReached ? "reached" : "NOT REACHED"}: ${goal}; measured ${measured}`,
  )
  const lines = [`== ${title} (${id})`, ...align([columns, ...rows]), ...goals, ...notes.map((note) => `   ${note}`)]
  return `${lines.join("\n")}\n`
}

/** Aligns the first column to the left and the others to the right. */
function align(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => largest(rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) => {
    const cells = row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
    )
    return `   ${cells.join("  ").trimEnd()}`
  })
}

/** The contents of `RESULTS.md`: all goals, the history of runs, then a section for each scenario. */
export function toMarkdown(machine: readonly string[], reports: readonly Report[], history: readonly Chart[]): string {
  const goals = reports.flatMap(({ title, verdicts }) =>
    verdicts.map(({ goal, measured, isReached }) => [title, goal, measured, isReached ? "reached" : "**not reached**"]),
  )
  const parts = [
    "# Results",
    "Written by `npm run bench`. [README.md](README.md) explains how to read it.",
    machine.map((line) => `- ${line}`).join("\n"),
    "## Goals",
    toTable(["scenario", "goal", "measured", ""], goals),
    "## Runs",
    "[history.json](history.json) has the measured value of each goal in every full run.",
    ...history.map(toImage),
    ...reports.flatMap(toSection),
  ]
  return `${parts.join("\n\n")}\n`
}

function toSection({ title, columns, rows, notes, charts = [] }: Report): readonly string[] {
  const list = notes.map((note) => `- ${note}`).join("\n")
  return [`## ${title}`, toTable(columns, rows), ...charts.map(toImage), ...(list === "" ? [] : [list])]
}

function toImage({ id, title }: Chart): string {
  return `![${title}](plots/${id}.svg)`
}

function toTable(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  const rule = columns.map((_, column) => (column === 0 ? "---" : "---:"))
  return [line(columns), line(rule), ...rows.map(line)].join("\n")
}
