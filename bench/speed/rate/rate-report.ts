import { atLeast, atMost, type Report, type Verdict } from "../report/report.ts"
import { formatNumber, formatSpread, median } from "../report/statistics.ts"
import type { InFlight, RateGoal, RateScenario, TargetId } from "../scenario.ts"
import type { Slice } from "./slice.ts"

export type Rates = ReadonlyMap<TargetId, Readonly<Record<InFlight, readonly Slice[]>>>

/** Makes every ratio NaN. */
const missing: Slice = { operations: Number.NaN, elapsedUs: Number.NaN, cpuUs: Number.NaN }

const columns = [
  "target",
  "µs, one at a time",
  "spread",
  "times ours",
  "µs, 32 in flight",
  "spread",
  "times ours",
  "processor µs (1 / 32)",
]

/** Medians of the slices, each target's time as a multiple of ours, and the verdicts. */
export function toRateReport({ id, title, goals, notes, targets }: RateScenario, rates: Rates): Report {
  const [ours] = targets
  const rows = [...rates].map(([target, slices]) => [
    target,
    ...toCells(slices[1], ours && rates.get(ours)?.[1]),
    ...toCells(slices[32], ours && rates.get(ours)?.[32]),
    `${formatNumber(median(slices[1].map(cpuOf)))} / ${formatNumber(median(slices[32].map(cpuOf)))}`,
  ])
  return { id, title, columns, rows, notes, verdicts: goals.map((goal) => toVerdict(goal, rates)) }
}

function toCells(slices: readonly Slice[], ours: readonly Slice[] | undefined): readonly string[] {
  const times = slices.map(timeOf)
  return [formatNumber(median(times)), formatSpread(times), formatNumber(toRatio(slices, ours ?? slices))]
}

function toVerdict({ kind, than, inFlight, times, usual, who = "latchkey" }: RateGoal, rates: Rates): Verdict {
  const own = rates.get(who)?.[inFlight] ?? []
  const other = rates.get(than)?.[inFlight] ?? []
  const where = inFlight === 1 ? "one at a time" : `${inFlight} in flight`
  if (kind === "faster") {
    const ratio = toRatio(other, own)
    const goal = `${times} times as fast as ${than}, ${where}`
    return atLeast(times, ratio, { goal, measured: `${formatNumber(ratio)} times` }, usual)
  }
  const ratio = toRatio(own, other)
  const goal = `at most ${times} times ${than}, ${where}`
  return atMost(times, ratio, { goal, measured: `${formatNumber(ratio)} times` }, usual)
}

/**
 * How many times as long an operation takes: the median over the turns. The slices of one turn are measured right after each
 * other, because a shared machine has fast and slow minutes. NaN without slices.
 */
function toRatio(slices: readonly Slice[], others: readonly Slice[]): number {
  return median(others.map((other, turn) => timeOf(slices[turn] ?? missing) / timeOf(other)))
}

function timeOf({ elapsedUs, operations }: Slice): number {
  return elapsedUs / operations
}

function cpuOf({ cpuUs, operations }: Slice): number {
  return cpuUs / operations
}
