import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createFlowId, createReplayGuard, createStoredReplayGuard, isFlowId } from "./replay.js"

/** Up to the year 5000. */
const instant = fc.integer({ min: 0, max: 95_617_584_000_000 })

describe("a flow's id", () => {
  it.each([
    ["an empty text", ""],
    ["a short one", "0m5abcdef"],
    ["one with another character", "0m5abcdef.123456789"],
    ["one that is too long", "0m5abcdef0123456789x"],
    ["an upper-case time", "0M5ABCDEF0123456789"],
    ["a line break at its end", "0m5abcdef0123456789\n"],
    ["no text at all", 4],
  ])("is not %s", (_, text) => {
    expect(isFlowId(text)).toBe(false)
  })

  it("is known again, whatever the time", () => {
    fc.assert(fc.property(instant, (time) => isFlowId(createFlowId(() => time))))
  })

  it("sorts by age without being opened", () => {
    fc.assert(
      fc.property(fc.uniqueArray(instant, { minLength: 2 }), (times) => {
        const idByTime = new Map(times.map((time) => [time, createFlowId(() => time)]))
        const byAge = times.toSorted((a, b) => a - b).map((time) => idByTime.get(time))
        expect([...idByTime.values()].sort()).toEqual(byAge)
      }),
    )
  })

  it("is another one each time, also within a millisecond", () => {
    expect(new Set(Array.from({ length: 1000 }, () => createFlowId(() => 1)))).toHaveProperty("size", 1000)
  })
})

function spentFlows({ ttlSeconds = 900, capacity = 10 } = {}) {
  let now = 1_000_000
  const spent = createReplayGuard(() => now, ttlSeconds, capacity)
  function advance(seconds: number): void {
    now += seconds * 1000
  }
  return { spent, advance }
}

describe("spent flows", () => {
  it("refuse the second caller, for as long as the flow's cookies open", () => {
    const { spent, advance } = spentFlows()
    expect(spent.spend("a")).toBe(true)
    expect(spent.spend("a")).toBe(false)
    // Sealed values are believed for 15 s past their expiry.
    advance(915)
    spent.spend("b")
    expect(spent.spend("a")).toBe(false)
  })

  it("let only one of many callers through", () => {
    const { spent } = spentFlows()
    expect(Array.from({ length: 50 }, () => spent.spend("a")).filter(Boolean)).toHaveLength(1)
  })

  it("forget what no cookie can bring back", () => {
    const { spent, advance } = spentFlows()
    spent.spend("a")
    advance(1000)
    spent.spend("b")
    expect(spent.spend("a")).toBe(true)
    expect(spent.spend("b")).toBe(false)
  })

  it("give up the oldest when there are too many", () => {
    const { spent } = spentFlows({ capacity: 3 })
    for (const flow of ["a", "b", "c", "d"]) expect(spent.spend(flow)).toBe(true)
    for (const flow of ["b", "c", "d"]) expect(spent.spend(flow)).toBe(false)
    expect(spent.spend("a")).toBe(true)
  })
})

describe("spent flows in a store", () => {
  const clock = () => Date.UTC(2030, 0, 1)

  it("pass on that the store failed: a flow that may have been spent is not completed", async () => {
    const down = () => Promise.reject(new Error("down"))
    await expect(createStoredReplayGuard({ consumeOnce: down }, clock, 900).spend("a")).rejects.toThrow("down")
  })

  it.each([undefined, null, 1, "yes"])("refuse where the store answers %j", async (answer) => {
    const consumeOnce = async () => answer as unknown as boolean
    expect(await createStoredReplayGuard({ consumeOnce }, clock, 900).spend("a")).toBe(false)
  })

  it("are kept by hash, for as long as the flow's cookies open", async () => {
    const kept: (readonly [string, Date])[] = []
    const consumeOnce = async (id: string, expires: Date) => {
      const isFirst = kept.every(([other]) => other !== id)
      kept.push([id, expires])
      return isFirst
    }
    const spent = createStoredReplayGuard({ consumeOnce }, clock, 900)
    expect([await spent.spend("a"), await spent.spend("a"), await spent.spend("b")]).toEqual([true, false, true])
    expect(kept[0]?.[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(kept[0]?.[1].getTime()).toBeGreaterThan(clock() + 915_000)
  })
})
