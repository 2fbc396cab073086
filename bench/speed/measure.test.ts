import { describe, expect, it } from "vitest"
import { parseCommandLine } from "./command-line.ts"
import { measureScenario } from "./measure.ts"
import { atMost, type Report } from "./report/report.ts"
import type { Effort, Measurement } from "./scenario.ts"

const short = parseCommandLine(["--short"], [])

/** A scenario with the goal 10, and these results one after another. */
function scenarioOf(...results: readonly number[]): Measurement & { readonly efforts: readonly Effort[] } {
  const efforts: Effort[] = []
  const words = { id: "example", title: "An example" }
  const measure = async (effort: Effort): Promise<Report> => {
    const measured = results[efforts.push(effort) - 1] ?? Number.NaN
    const verdict = atMost(10, measured, { goal: "at most 10", measured: String(measured) })
    return { ...words, columns: ["target"], rows: [[`took ${measured}`]], verdicts: [verdict], notes: [] }
  }
  return { ...words, kind: "measurement", measure, efforts }
}

describe("measureScenario", () => {
  it("measures once if no result is far below its goal", async () => {
    const scenario = scenarioOf(19, 5)
    const report = await measureScenario(scenario, short, () => {})
    expect(scenario.efforts).toEqual([short.effort])
    expect(report.verdicts).toMatchObject([{ measured: "19", isReached: false, isFarOff: false }])
  })

  it("counts the second, longer measurement of a scenario that was far below its goal in the short form", async () => {
    const scenario = scenarioOf(50, 12)
    const printed: string[] = []
    const report = await measureScenario(scenario, short, (text) => printed.push(text))
    expect(report.verdicts).toMatchObject([{ measured: "12", isFarOff: false }])
    expect(scenario.efforts).toHaveLength(2)
    const [first, second] = scenario.efforts
    expect(second?.sliceMs).toBeGreaterThan(first?.sliceMs ?? 0)
    // Still the targets of goals only.
    expect(second?.isShort).toBe(true)
    expect(printed.map((text) => /took \d+|only this second report/.exec(text)?.[0])).toEqual([
      "took 50",
      "only this second report",
      "took 12",
    ])
  })

  it("still fails a scenario that is far below its goal twice", async () => {
    const scenario = scenarioOf(50, 50, 5)
    const report = await measureScenario(scenario, short, () => {})
    expect(report.verdicts).toMatchObject([{ isFarOff: true }])
    expect(scenario.efforts).toHaveLength(2)
  })

  it.each([{ args: [] }, { args: ["decode"] }])("measures once without --short: $args", async ({ args }) => {
    const scenario = scenarioOf(50, 5)
    const report = await measureScenario(scenario, parseCommandLine(args, [{ ...scenario, id: "decode" }]), () => {})
    expect(report.verdicts).toMatchObject([{ measured: "50", isFarOff: true }])
    expect(scenario.efforts).toHaveLength(1)
  })
})
