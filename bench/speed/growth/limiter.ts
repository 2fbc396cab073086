import { join } from "node:path"
import { runOwnProcess } from "../own-process.ts"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber } from "../report/statistics.ts"
import type { Measurement } from "../scenario.ts"

/** The budget is full from 20,000 addresses on: growth after the third size is growth with the addresses. */
export const limiterSizes = [1_000, 10_000, 30_000, 1_000_000] as const

const mostTimes = 1.3
/** 20,000 counters with their keys. */
const mostBytes = 5_000_000
/** Heap sizes of two measurements differ by this much. */
const noiseBytes = 500_000

export const limiter: Measurement = {
  kind: "measurement",
  id: "limiter",
  title: "Rate limiter in memory: sign-outs from ever more addresses",
  async measure() {
    // The program prints its points.
    return toReport(runOwnProcess(join(import.meta.dirname, "limiter-process.ts"), []) as LimiterPoint[])
  },
}

/** After this many addresses: the time of a request, and the heap without what was used before the first of them. */
export interface LimiterPoint {
  readonly size: number
  readonly microseconds: number
  readonly bytes: number
}

function toReport(points: readonly LimiterPoint[]): Report {
  const [full, last] = points.slice(-2)
  if (!(full && last)) throw new Error("Nothing was measured")
  const times = last.microseconds / full.microseconds
  return {
    id: limiter.id,
    title: limiter.title,
    columns: ["addresses", "µs, sign-out", "MB"],
    rows: points.map(({ size, microseconds, bytes }) => [
      size.toLocaleString("en-US"),
      formatNumber(microseconds),
      toMegabytes(bytes),
    ]),
    verdicts: [
      atMost(mostTimes, times, {
        goal: `a request from the millionth address: at most ${mostTimes} times as long as from the 30,000th`,
        measured: `${formatNumber(times)} times`,
      }),
      atMost(mostBytes, last.bytes, {
        goal: `at most ${mostBytes / 1e6} MB of heap after a million addresses`,
        measured: `${toMegabytes(last.bytes)} MB`,
      }),
      atMost(noiseBytes, last.bytes - full.bytes, {
        goal: `at most ${noiseBytes / 1e6} MB more heap after a million addresses than after 30,000`,
        measured: `${toMegabytes(last.bytes - full.bytes)} MB`,
      }),
    ],
    notes: [
      "Each request comes from a new address, and counts in one budget, which keeps 20,000 counters. A process of its own: heap after a full garbage collection, without the heap after 20,000 requests from one address. V8 keeps bytecode there (`--no-flush-bytecode`), since it would otherwise free 5 MB of it during the run.",
    ],
    charts: [
      {
        id: "growth-limiter",
        title: "A sign-out that is counted, by addresses seen",
        x: { label: "addresses", isLog: true },
        y: { label: "µs" },
        series: [{ name: "memory", points: points.map(({ size, microseconds }) => [size, microseconds]) }],
      },
    ],
  }
}

function toMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}
