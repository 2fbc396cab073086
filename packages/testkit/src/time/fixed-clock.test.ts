import { afterEach, describe, expect, it } from "vitest"
import { fixedClock } from "./fixed-clock.js"

const realDate = Date
const realNow = Date.now

afterEach(() => {
  expect(Date).toBe(realDate)
  expect(Date.now).toBe(realNow)
})

describe("fixedClock", () => {
  it("holds Date still and moves it when told", () => {
    using clock = fixedClock("2031-05-06T07:08:09.000Z")
    expect(new Date().toISOString()).toBe("2031-05-06T07:08:09.000Z")
    clock.advance({ days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 1 })
    expect(new Date().toISOString()).toBe("2031-05-07T08:09:10.001Z")
    expect(Date.now()).toBe(clock.now())
    expect(realDate.now()).toBe(clock.now())
    expect(Date()).toBe(new Date().toString())
  })

  it("leaves dates of other instants and their kind alone", () => {
    const before = new Date(0)
    using _ = fixedClock()
    expect(new Date(2020, 1, 2).getFullYear()).toBe(2020)
    expect(Date.UTC(1970, 0, 1)).toBe(0)
    expect(before).toBeInstanceOf(Date)
    expect(new Date()).toBeInstanceOf(realDate)
  })

  it("gives the real time back, also through restore, twice, and from the inside out", () => {
    const outer = fixedClock(0)
    const inner = fixedClock(1000)
    inner.restore()
    inner.restore()
    expect(Date.now()).toBe(0)
    outer.restore()
    expect(Date.now).toBe(realNow)
  })

  it("is set to an instant, and refuses units that it does not know", () => {
    using clock = fixedClock()
    clock.set(new Date(5000))
    expect(Date.now()).toBe(5000)
    // What a JavaScript caller may write.
    expect(() => clock.advance({ fortnights: 1 } as object)).toThrow(TypeError)
  })

  it("does not stop timers", async () => {
    using clock = fixedClock()
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(Date.now()).toBe(clock.now())
  })
})
