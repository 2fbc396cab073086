import { join } from "node:path"
import { runOwnProcess } from "../own-process.ts"
import type { Verdict } from "../report/report.ts"
import type { Measurement } from "../scenario.ts"

const program = join(import.meta.dirname, "counts-process.ts")

/** Without compilers that remove allocations at times of their own choice, and without a collection in between. */
const flags = [
  "--no-opt",
  "--no-maglev",
  "--single-threaded-gc",
  "--min-semi-space-size=256",
  "--max-semi-space-size=256",
]

/** What one operation costs that no other work on the machine changes. */
export interface Counts {
  readonly promises: number
  readonly heapBytes: number
}

/** The most that each operation may take: what it took last. Lower it with each improvement. */
const limits: Readonly<Record<string, { readonly promises: number; readonly kilobytes: number }>> = {
  "session-stateless": { promises: 1, kilobytes: 27 },
  "signin-page": { promises: 6, kilobytes: 26.3 },
  credentials: { promises: 29, kilobytes: 41.5 },
  "oauth-start": { promises: 19, kilobytes: 55 },
  "oidc-callback": { promises: 72, kilobytes: 112.8 },
  "session-new-config": { promises: 13, kilobytes: 79 },
}

/** The heap varies by a percent between machines. */
const heapTolerance = 1.02

export const counts: Measurement = {
  kind: "measurement",
  id: "counts",
  title: "Promises and heap of one operation",
  async measure({ isShort }) {
    const measured = Object.keys(limits).map((id) => {
      const ours = count("latchkey", id)
      const others = isShort ? [] : [count("auth-core", id)]
      return { id, ours, others }
    })
    return {
      id: counts.id,
      title: counts.title,
      columns: ["operation", "promises", "kB", ...(isShort ? [] : ["promises, auth-core", "kB, auth-core"])],
      rows: measured.map(({ id, ours, others }) => [id, ...[ours, ...others].flatMap(toCells)]),
      verdicts: measured.flatMap(({ id, ours }) => toVerdicts(id, ours)),
      notes: ["Without optimizing compilers. The same on every machine, but for a percent of the heap."],
    }
  },
}

function count(target: string, id: string): Counts {
  return runOwnProcess(program, [target, id], flags) as Counts // as: the output of the program.
}

function toCells({ promises, heapBytes }: Counts): readonly string[] {
  return [String(promises), (heapBytes / 1000).toFixed(1)]
}

function toVerdicts(id: string, { promises, heapBytes }: Counts): readonly Verdict[] {
  const { promises: mostPromises = 0, kilobytes = 0 } = limits[id] ?? {}
  const measuredKilobytes = heapBytes / 1000
  // Nothing but a change of the sources makes a count grow, so that the short form fails when one does.
  return [
    {
      goal: `${id}: at most ${mostPromises} promises`,
      measured: String(promises),
      isReached: promises <= mostPromises,
      isFarOff: promises > mostPromises,
    },
    {
      goal: `${id}: at most ${kilobytes} kB of heap`,
      measured: `${measuredKilobytes.toFixed(1)} kB`,
      isReached: measuredKilobytes <= kilobytes,
      isFarOff: measuredKilobytes > kilobytes * heapTolerance,
    },
  ]
}
