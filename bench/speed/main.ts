// `npm run bench -- [--short | --profile] [scenario...]`
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseCommandLine, type Run } from "./command-line.ts"
import { measureScenario } from "./measure.ts"
import { profileScenario } from "./profile.ts"
import { addToHistory, toHistoryCharts, toResults } from "./report/history.ts"
import { describeMachine, type Report, toMarkdown } from "./report/report.ts"
import { scenarios } from "./scenarios/table.ts"

const resultsFile = join(import.meta.dirname, "..", "RESULTS.md")

async function measure({ scenarios: chosen, effort, writesResults, repeatEffort }: Run): Promise<void> {
  const machine = describeMachine()
  const reports: Report[] = []
  console.log(`${machine.join("\n")}\n`)
  for (const scenario of chosen) {
    reports.push(await measureScenario(scenario, { effort, repeatEffort }, console.log))
  }
  if (writesResults) await writeResults(machine, reports)
  summarize(reports, effort.isShort)
}

async function writeResults(machine: readonly string[], reports: readonly Report[]): Promise<void> {
  const date = new Date().toISOString().slice(0, 10)
  const load = Number(machine.at(-1)?.match(/load average ([\d.]+)/)?.[1])
  const entries = addToHistory({ date, node: process.versions.node, load, results: toResults(reports) })
  const charts = toHistoryCharts(entries)
  // Loaded here: the other forms of the command draw nothing.
  const { toSvg } = await import("./report/chart.ts")
  const folder = join(import.meta.dirname, "..", "plots")
  mkdirSync(folder, { recursive: true })
  for (const chart of [...charts, ...reports.flatMap((report) => report.charts ?? [])]) {
    writeFileSync(join(folder, `${chart.id}.svg`), toSvg(chart))
  }
  writeFileSync(resultsFile, toMarkdown(machine, reports, charts))
}

/** Timings vary between machines, so only the short form fails, and only far below a goal. */
function summarize(reports: readonly Report[], isShort: boolean): void {
  const verdicts = reports.flatMap(({ id, verdicts: own }) => own.map((verdict) => ({ id, ...verdict })))
  const reached = verdicts.filter(({ isReached }) => isReached)
  console.log(`${reached.length} of ${verdicts.length} goals reached`)
  const farOff = verdicts.filter(({ isFarOff }) => isFarOff)
  if (!isShort || farOff.length === 0) return
  console.log(`Worse than half of the goal:\n${farOff.map(({ id, goal }) => `   ${id}: ${goal}`).join("\n")}`)
  process.exitCode = 1
}

async function profile({ scenarios: chosen }: Run): Promise<void> {
  for (const scenario of chosen) {
    if (scenario.kind !== "rate") continue
    console.log(`== ${scenario.title} (${scenario.id})`)
    const functions = await profileScenario(scenario)
    for (const { place, part } of functions) console.log(`   ${(part * 100).toFixed(1).padStart(5)}%  ${place}`)
  }
}

const run = parseCommandLine(process.argv.slice(2), scenarios)
await (run.isProfile ? profile(run) : measure(run))
