import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Chart, Report, Series } from "./report.ts"

/** A full run: its day, and the measured value of each goal. */
export interface Entry {
  readonly date: string
  readonly node: string
  /** Load average before the run. */
  readonly load: number
  readonly results: Readonly<Record<string, number>>
}

const file = join(import.meta.dirname, "..", "..", "history.json")

export function readHistory(): readonly Entry[] {
  // Written by `addToHistory`.
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Entry[]) : []
}

/** Adds a run. */
export function addToHistory(entry: Entry): readonly Entry[] {
  const entries = [...readHistory(), entry]
  writeFileSync(file, `${JSON.stringify(entries, null, 2)}\n`)
  return entries
}

/** The measured value of each goal, by scenario and goal without its number, which may be raised later. */
export function toResults(reports: readonly Report[]): Record<string, number> {
  const verdicts = reports.flatMap(({ id, verdicts: own }) => own.map((verdict) => ({ id, ...verdict })))
  const pairs = verdicts.map(({ id, goal, measured }) => [toKey(id, goal), Number.parseFloat(measured)] as const)
  return Object.fromEntries(pairs.filter(([, value]) => Number.isFinite(value)))
}

function toKey(id: string, goal: string): string {
  return `${id}: ${goal.replace(/\b\d+(?:\.\d+)? (?=times|kB|ms|packages)/g, "").replace(/^(?:at most|under) /, "")}`
}

/** How far our time was from the limit's, and how far ahead of `@auth/core` we were, in each run. */
export function toHistoryCharts(entries: readonly Entry[]): readonly Chart[] {
  const charts: readonly (readonly [id: string, title: string, ending: string, label: string])[] = [
    ["history-limit", "Times the limit, one at a time, by run", "times limit, one at a time", "times the limit"],
    [
      "history-auth-core",
      "Times as fast as @auth/core, one at a time, by run",
      "times as fast as auth-core, one at a time",
      "times as fast",
    ],
  ]
  return charts.map(([id, title, ending, label]) => {
    const keys = new Set(entries.flatMap(({ results }) => Object.keys(results)).filter((key) => key.endsWith(ending)))
    const series = [...keys].map((key): Series => {
      const points = entries.flatMap(({ results }, n) => {
        const value = results[key]
        return value === undefined ? [] : [[n + 1, value] as const]
      })
      return { name: key.split(":", 1)[0] ?? key, points }
    })
    return { id, title, x: { label: "run", isWhole: true }, y: { label }, series }
  })
}
