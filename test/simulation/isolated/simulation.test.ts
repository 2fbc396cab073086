import { describe, expect, it } from "vitest"
import { memoryAdapter } from "../../../packages/testkit/src/adapter/memory-adapter.js"
import { reportOf } from "../report.js"
import { type SimulationResult, simulate } from "../run.js"
import { parseStep, writeStep } from "../schedule.js"
import { shrink } from "../shrink.js"

/** A store that lets two callers use one token: it breaks a promise of the adapter suite. */
function forgetfulStore() {
  const store = memoryAdapter()
  const used = new Map<string, Awaited<ReturnType<typeof store.useVerificationToken>>>()
  return {
    ...store,
    async useVerificationToken(given: { identifier: string; token: string }) {
      const key = `${given.identifier} ${given.token}`
      const found = (await store.useVerificationToken(given)) ?? used.get(key) ?? null
      used.set(key, found)
      return found
    },
  }
}

async function findFirst(seeds: number): Promise<SimulationResult> {
  for (let seed = 1; seed <= seeds; seed++) {
    const result = await simulate({ seed, setting: { store: "other" }, createStore: forgetfulStore })
    if (result.violation?.rule === "one-time") return result
  }
  throw new Error(`None of ${seeds} seeds found the fault`)
}

describe("simulate", () => {
  it("finds no broken promise in the first worlds", async () => {
    const findings: string[] = []
    // A number, so that every machine runs the same worlds. `npm run simulate` runs more, and CI 250.
    for (let seed = 1; seed <= 12; seed++) {
      const result = await simulate({ seed })
      if (result.violation) findings.push(reportOf(await shrink({ seed }, result)))
    }
    expect(findings).toEqual([])
  })

  it("repeats a run to the byte, from its seed and from its schedule, also after other runs", async () => {
    let seed = 7
    let first = await simulate({ seed, isTold: true })
    // The next world that is long enough.
    while (first.steps <= 100) first = await simulate({ seed: ++seed, isTold: true })
    await simulate({ seed: seed + 1 })
    expect(await simulate({ seed, isTold: true })).toEqual(first)
    expect(await simulate({ seed, isTold: true, schedule: first.schedule })).toEqual(first)
  })

  it("repeats a run at once whose flows only the process remembers", async () => {
    const off = { isTracked: false, hasPasswords: false, hasSecondFactors: false, keepsTokens: false }
    const setting = { ...off, hasAccountArea: false, hasNativeApps: false, isAdapterPublished: true }
    for (const seed of [1, 2, 3]) {
      const first = await simulate({ seed, setting, isTold: true })
      expect(await simulate({ seed, setting, isTold: true })).toEqual(first)
    }
  })

  it("gives back the time and the chance of the process", async () => {
    const { setTimeout: timer, Date: clock } = globalThis
    await simulate({ seed: 3 })
    expect(globalThis).toMatchObject({ setTimeout: timer, Date: clock })
    expect(crypto.randomUUID()).not.toBe(crypto.randomUUID())
    expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000)
  })

  it("finds a store that breaks a promise, and shrinks the run to a story and a test", async () => {
    const found = await findFirst(30)
    const short = await shrink({ seed: found.seed, createStore: forgetfulStore }, found)
    expect(short.violation?.rule).toBe("one-time")
    expect(short.schedule.length).toBeLessThanOrEqual(4)
    expect(reportOf(short)).toMatch(
      /(?:opens a link|types a code)[\s\S]+(?:once more|at once|on the phone|types a code)[\s\S]+BROKEN \(one-time\)[\s\S]+schedule: \[/,
    )
    const again = await simulate({
      seed: short.seed,
      setting: short.setting,
      schedule: short.schedule,
      createStore: forgetfulStore,
    })
    expect(again.violation).toEqual(short.violation)
  }, 120_000)
})

describe("writeStep", () => {
  it.each([
    "3 Vera sign-in 5 0 2",
    "4 Mallory lure at-once",
    "go 3",
    "go 3 lost",
    "leave 3",
    "kill 1",
    "drift 0 -500",
    "wait 60000",
  ])("is read back from %j", (text) => {
    expect(writeStep(parseStep(text))).toBe(text)
  })

  it("refuses any other text", () => {
    expect(() => parseStep("jump 3")).toThrow('"jump 3" is not a step. Copy the schedule from the report of a run')
  })
})
