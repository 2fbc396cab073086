import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createFlowId, isFlowId } from "./flow-id.js"

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
