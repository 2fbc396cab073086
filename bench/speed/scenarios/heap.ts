import { join } from "node:path"
import { runOwnProcess } from "../own-process.ts"
import { atMost, type Verdict } from "../report/report.ts"
import type { Measurement } from "../scenario.ts"

const program = join(import.meta.dirname, "heap-process.ts")
const scenarioIds = ["session-stateless", "session-anonymous", "session-memory"] as const
const warmUp = 20_000
const checks = 200_000
/** Heap sizes of two measurements differ by this much. */
const noiseBytes = 500_000

export const heap: Measurement = {
  kind: "measurement",
  id: "heap",
  title: `Heap after ${checks} session checks`,
  async measure() {
    const heaps = scenarioIds.map((id) => ({ id, ...measureHeap(id) }))
    return {
      id: heap.id,
      title: heap.title,
      columns: ["session", "MB before", "MB after", "kB grown"],
      rows: heaps.map(({ id, before, after }) => [
        id,
        (before / 1e6).toFixed(2),
        (after / 1e6).toFixed(2),
        toKilobytes(after - before),
      ]),
      verdicts: heaps.map(({ id, before, after }) => toVerdict(id, after - before)),
      notes: [`After ${warmUp} checks to warm up, with a full garbage collection before each reading.`],
    }
  },
}

/** Bytes in use after a full garbage collection; the output of the program. */
export interface HeapSizes {
  readonly before: number
  readonly after: number
}

function measureHeap(id: string): HeapSizes {
  // The program prints a `HeapSizes`.
  return runOwnProcess(program, [id, String(warmUp), String(checks)]) as HeapSizes
}

function toVerdict(id: string, grownBytes: number): Verdict {
  return atMost(noiseBytes, grownBytes, { goal: `no growth, ${id}`, measured: `${toKilobytes(grownBytes)} kB` })
}

function toKilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(0)
}
