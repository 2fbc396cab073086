import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createFlowId, createReplayGuard, createStoredReplayGuard, isFlowId } from "./replay.js"

/** Up to the year 5000. */
const instant = fc.integer({ min: 0, max: 95_617_584_000_000 })

describe("a flow id", () => {
  it.each([
    ["an empty string", ""],
    ["a short one", "0m5abcdef"],
    ["one with another character", "0m5abcdef.123456789"],
    ["one that is too long", "0m5abcdef0123456789x"],
    ["an upper-case time", "0M5ABCDEF0123456789"],
    ["a line break at its end", "0m5abcdef0123456789\n"],
    ["a number", 4],
  ])("is not %s", (_, text) => {
    expect(isFlowId(text)).toBe(false)
  })

  it("is valid for any time", () => {
    fc.assert(fc.property(instant, (time) => isFlowId(createFlowId(() => time))))
  })

  it("sorts by age", () => {
    fc.assert(
      fc.property(fc.uniqueArray(instant, { minLength: 2 }), (times) => {
        const idByTime = new Map(times.map((time) => [time, createFlowId(() => time)]))
        const byAge = times.toSorted((a, b) => a - b).map((time) => idByTime.get(time))
        expect([...idByTime.values()].sort()).toEqual(byAge)
      }),
    )
  })

  it("is unique, even within a millisecond", () => {
    expect(new Set(Array.from({ length: 1000 }, () => createFlowId(() => 1)))).toHaveProperty("size", 1000)
  })
})

function guardSetup(capacity = 10) {
  let now = 1_000_000
  const guard = createReplayGuard(() => now, capacity)
  function advance(seconds: number): void {
    now += seconds * 1000
  }
  return { guard, advance }
}

describe("createReplayGuard", () => {
  it("rejects a second use for as long as the flow's cookies are valid", () => {
    const { guard, advance } = guardSetup()
    for (let n = 0; n < 40; n++) {
      expect(guard.consume(`${n}`)).toBe(true)
      advance(n % 7 === 0 ? 300 : 61)
      // These were completed less than 15 minutes ago, so that their cookies are still valid.
      for (const last of [n - 2, n - 1, n]) if (last >= 0) expect(guard.consume(`${last}`)).toBe(false)
    }
    // Sealed values are accepted for 15 seconds past their expiry.
    guard.consume("a")
    advance(915)
    guard.consume("b")
    expect(guard.consume("a")).toBe(false)
  })

  it("accepts only the first of many callers", () => {
    const { guard } = guardSetup()
    expect(Array.from({ length: 50 }, () => guard.consume("a")).filter(Boolean)).toHaveLength(1)
  })

  it("forgets flows whose cookies have expired", () => {
    const { guard, advance } = guardSetup()
    guard.consume("a")
    for (const later of ["b", "c"]) {
      advance(1000)
      guard.consume(later)
    }
    expect(guard.consume("a")).toBe(true)
    expect(guard.consume("c")).toBe(false)
  })

  it("remembers the last flows, and forgets others when it is full", () => {
    const { guard } = guardSetup(3)
    const flows = ["a", "b", "c", "d", "e", "f", "g"]
    flows.forEach((flow, n) => {
      expect(guard.consume(flow)).toBe(true)
      for (const last of flows.slice(Math.max(0, n - 3), n + 1)) expect(guard.consume(last)).toBe(false)
    })
    expect(guard.consume("a")).toBe(true)
  })
})

describe("createStoredReplayGuard", () => {
  const clock = () => Date.UTC(2030, 0, 1)

  it("throws when the store fails, since the flow may have been used before", async () => {
    const down = () => Promise.reject(new Error("down"))
    await expect(createStoredReplayGuard({ consumeOnce: down }, clock).consume("a")).rejects.toThrow("down")
  })

  it.each([undefined, null, 1, "yes"])("rejects a flow when the store returns %j", async (answer) => {
    const consumeOnce = async () => answer as unknown as boolean
    expect(await createStoredReplayGuard({ consumeOnce }, clock).consume("a")).toBe(false)
  })

  it("stores a hash of the flow for as long as its cookies are valid", async () => {
    const kept: (readonly [string, Date])[] = []
    const consumeOnce = async (id: string, expires: Date) => {
      const isFirst = kept.every(([other]) => other !== id)
      kept.push([id, expires])
      return isFirst
    }
    const guard = createStoredReplayGuard({ consumeOnce }, clock)
    expect([await guard.consume("a"), await guard.consume("a"), await guard.consume("b")]).toEqual([true, false, true])
    expect(kept[0]?.[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(kept[0]?.[1].getTime()).toBeGreaterThan(clock() + 915_000)
  })
})
