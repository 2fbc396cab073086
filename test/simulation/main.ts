// The program of `npm run simulate`: runs worlds, one seed after the other, until the time is over.
import { fork } from "node:child_process"
import { parseArgs } from "node:util"
import { type SqliteAdapter, sqlite } from "../../packages/kysely-adapter/src/sqlite/index.js"
import { reportOf } from "./report.js"
import { simulate } from "./run.js"
import type { Setting } from "./setting.js"
import { shrink } from "./shrink.js"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: "1" },
    /** Each worker ends after so many runs, within the minutes. */
    runs: { type: "string" },
    /** Ends with the first finding, and prints it in one line. */
    first: { type: "boolean", default: false },
    /** Facts of the setting of each world, as JSON. */
    setting: { type: "string", default: "{}" },
    /** Set by the program itself: which seeds this process runs. */
    worker: { type: "string" },
  },
})

interface Progress {
  readonly runs: number
  readonly steps: number
  readonly findings: number
  /** Seconds of processor time. Other programs may share the machine. */
  readonly cpuSeconds: number
}

const nothing: Progress = { runs: 0, steps: 0, findings: 0, cpuSeconds: 0 }

const total = Number(values.workers)
const setting: Partial<Setting> = JSON.parse(values.setting)
const databases: SqliteAdapter[] = []

/** One database in memory at a time. */
function createStore(): SqliteAdapter {
  databases.pop()?.close()
  const database = sqlite(":memory:")
  databases.push(database)
  return database
}

/** Runs every `total`-th seed, beginning with that of this worker. */
async function runSeeds(worker: number, report: (progress: Progress) => void): Promise<Progress> {
  const endsAtMs = Date.now() + Number(values.minutes) * 60_000
  const kinds = new Set<string>()
  let progress = nothing
  const mostRuns = Number(values.runs ?? Number.POSITIVE_INFINITY)
  for (let seed = Number(values.seed) + worker; Date.now() < endsAtMs && progress.runs < mostRuns; seed += total) {
    const result = await simulate({ seed, createStore, setting })
    const { violation, steps } = result
    const isFinding = violation !== null
    progress = {
      runs: progress.runs + 1,
      steps: progress.steps + steps,
      findings: progress.findings + Number(isFinding),
      cpuSeconds: cpuSeconds(),
    }
    if (violation) {
      if (values.first) {
        console.log(JSON.stringify({ seed, runs: progress.runs, rule: violation.rule, sentence: violation.sentence }))
        return progress
      }
      const kind = `${violation.rule} ${violation.sentence}`
      // One story for each kind: a fault that is found every second would fill the terminal.
      if (kinds.has(kind)) console.log(`Seed ${seed} broke it again: ${violation.sentence}`)
      else console.log(`\n${reportOf(await shrink({ seed, createStore, setting }, result))}\n`)
      kinds.add(kind)
    }
    report(progress)
  }
  return progress
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function sum(parts: readonly Progress[]): Progress {
  return parts.reduce(
    (one, other) => ({
      runs: one.runs + other.runs,
      steps: one.steps + other.steps,
      findings: one.findings + other.findings,
      cpuSeconds: one.cpuSeconds + other.cpuSeconds,
    }),
    nothing,
  )
}

const beganMs = Date.now()

function describe({ runs, steps, findings, cpuSeconds }: Progress): string {
  const seconds = Math.max(1, (Date.now() - beganMs) / 1000)
  const [each, eachOfCore] = [seconds, Math.max(1, cpuSeconds)].map((time) => Math.round(steps / time))
  return `${runs} runs, ${steps} steps (${each} a second, ${eachOfCore} a second of one core), ${findings} runs with a finding`
}

/** Each worker is a process, because a simulation takes over the clock of its process. */
async function runWorkers(): Promise<Progress> {
  const latest: Progress[] = Array.from({ length: total }, () => nothing)
  const timer = setInterval(() => console.log(describe(sum(latest))), 30_000)
  const [, script = ""] = process.argv
  await Promise.all(
    latest.map(
      (_, worker) =>
        new Promise<void>((resolve, reject) => {
          const child = fork(script, [...process.argv.slice(2), "--worker", String(worker)])
          child.on("message", (message) => {
            // as: `runSeeds` sends nothing else
            latest[worker] = message as Progress
          })
          child.on("error", reject)
          child.on("exit", (code) =>
            code === 0 ? resolve() : reject(new Error(`Worker ${worker} ended with ${code}`)),
          )
        }),
    ),
  )
  clearInterval(timer)
  return sum(latest)
}

if (values.worker !== undefined) {
  await runSeeds(Number(values.worker), (progress) => process.send?.(progress))
  process.disconnect()
} else {
  const progress = total > 1 ? await runWorkers() : await runSeeds(0, () => {})
  console.log(describe(progress))
  process.exitCode = progress.findings > 0 ? 1 : 0
}
