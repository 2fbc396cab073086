import { execFileSync } from "node:child_process"
import { join } from "node:path"
import type { Verdict } from "../report/report.ts"
import { atMost } from "../report/verdict.ts"
import type { Measurement } from "../scenario.ts"

const program = join(import.meta.dirname, "..", "heap", "heap-process.ts")
const scenarioIds = ["session-stateless", "session-anonymous", "session-memory"] as const
const warmUp = 20_000
const checks = 200_000
/** What a heap differs by from one measurement to the next. */
const noiseBytes = 500_000

interface Heap {
  readonly id: string
  readonly before: number
  readonly after: number
}

export const heap: Measurement = {
  kind: "measurement",
  id: "heap",
  title: `Heap after ${checks} session checks`,
  async measure() {
    const heaps = scenarioIds.map(measureHeap)
    return {
      id: heap.id,
      title: heap.title,
      columns: ["session", "MB before", "MB after", "kB grown"],
      rows: heaps.map(({ id, before, after }) => [
        id,
        toMegabytes(before),
        toMegabytes(after),
        toKilobytes(after - before),
      ]),
      verdicts: heaps.map(toVerdict),
      notes: [`After ${warmUp} checks to warm up, with a full garbage collection before each reading.`],
    }
  },
}

function measureHeap(id: string): Heap {
  const env = { ...process.env, NODE_ENV: "production" }
  const args = ["--expose-gc", program, id, String(warmUp), String(checks)]
  const output = execFileSync(process.execPath, args, { env, encoding: "utf8" })
  // What the program prints.
  return { id, ...(JSON.parse(output) as Omit<Heap, "id">) }
}

function toVerdict({ id, before, after }: Heap): Verdict {
  const grown = after - before
  return atMost(noiseBytes, grown, { goal: `no growth, ${id}`, measured: `${toKilobytes(grown)} kB` })
}

function toMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2)
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(0)
}
