import { describe, expect, it } from "vitest"
import type { RateScenario, TargetId } from "../scenario.ts"
import { rateGoals } from "../scenario.ts"
import { type Rates, toRateReport } from "./rate-report.ts"
import type { Slice } from "./slice.ts"

const scenario: RateScenario = {
  kind: "rate",
  id: "example",
  title: "An example",
  targets: ["latchkey", "auth-core", "limit"],
  goals: rateGoals({ one: 10, many: 5, limit: 2 }),
  notes: [],
  assertDone: () => {},
}

/** Three slices of ten operations each at `us` microseconds an operation, one of them disturbed. */
function slicesOf(us: number): readonly Slice[] {
  return [us, us * 50, us].map((each) => ({ operations: 10, elapsedUs: each * 10, cpuUs: us * 20 }))
}

function ratesOf(us: Readonly<Partial<Record<TargetId, readonly [number, number]>>>): Rates {
  // The parameter's type has no other keys.
  const entries = Object.entries(us) as [TargetId, readonly [number, number]][]
  return new Map(entries.map(([id, [one, many]]) => [id, { 1: slicesOf(one), 32: slicesOf(many) }]))
}

describe("toRateReport", () => {
  const rates = ratesOf({ latchkey: [20, 15], "auth-core": [200, 60], limit: [10, 5] })
  const report = toRateReport(scenario, rates)

  it("shows the median time of an operation and multiples of our time", () => {
    const [ours, peer, limit] = report.rows
    expect(ours).toEqual([
      "latchkey",
      "20.0",
      expect.any(String),
      "1.00",
      "15.0",
      expect.any(String),
      "1.00",
      "40.0 / 30.0",
    ])
    expect(peer?.slice(0, 2)).toEqual(["auth-core", "200"])
    expect(peer?.[3]).toBe("10.0")
    expect(limit?.[3]).toBe("0.50")
  })

  it("compares each goal with its own column", () => {
    expect(report.verdicts.map(({ isReached, measured }) => [isReached, measured])).toEqual([
      [true, "10.0 times"],
      [false, "4.00 times"],
      [true, "2.00 times"],
      [false, "3.00 times"],
    ])
  })

  it("compares the slices of a turn with each other", () => {
    const toSlices = (...times: readonly number[]): readonly Slice[] =>
      times.map((us) => ({ operations: 10, elapsedUs: us * 10, cpuUs: us * 10 }))
    // A slow time of the machine begins in the middle of the second turn.
    const ours = toSlices(20, 200, 220)
    const limit = toSlices(10, 10, 110)
    const { rows, verdicts } = toRateReport(
      scenario,
      new Map([
        ["latchkey", { 1: ours, 32: ours }],
        ["limit", { 1: limit, 32: limit }],
      ]),
    )
    expect(verdicts.slice(2).map(({ measured }) => measured)).toEqual(["2.00 times", "2.00 times"])
    expect(rows[1]?.[3]).toBe("0.50")
  })

  it("does not reach a goal whose other target was not measured", () => {
    const { verdicts } = toRateReport(scenario, ratesOf({ latchkey: [20, 15] }))
    expect(verdicts.filter(({ isReached }) => isReached)).toEqual([])
  })
})
