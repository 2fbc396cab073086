import { afterEach, describe, expect, it } from "vitest"
import { fixedClock } from "./fixed-clock.js"

const realDate = Date
const realNow = Date.now

afterEach(() => {
  expect(Date).toBe(realDate)
  expect(Date.now).toBe(realNow)
})

describe("fixedClock", () => {
  it("stops Date, and moves it on advance", () => {
    using clock = fixedClock("2031-05-06T07:08:09.000Z")
    expect(new Date().toISOString()).toBe("2031-05-06T07:08:09.000Z")
    clock.advance({ days: 1, hours: 1, minutes: 1, seconds: 1, milliseconds: 1 })
    expect(new Date().toISOString()).toBe("2031-05-07T08:09:10.001Z")
    expect(Date.now()).toBe(clock.now())
    expect(realDate.now()).toBe(clock.now())
    expect(Date()).toBe(new Date().toString())
  })

  it("does not change other dates or their class", () => {
    const before = new Date(0)
    using _ = fixedClock()
    expect(new Date(2020, 1, 2).getFullYear()).toBe(2020)
    expect(Date.UTC(1970, 0, 1)).toBe(0)
    expect(before).toBeInstanceOf(Date)
    expect(new Date()).toBeInstanceOf(realDate)
  })

  it("restores the real time, also twice and from nested clocks", () => {
    const outer = fixedClock(0)
    const inner = fixedClock(1000)
    inner.restore()
    inner.restore()
    expect(Date.now()).toBe(0)
    outer.restore()
    expect(Date.now).toBe(realNow)
  })

  it("can be set to an instant, and rejects unknown units", () => {
    using clock = fixedClock()
    clock.set(new Date(5000))
    expect(Date.now()).toBe(5000)
    // as: a JavaScript caller has no types
    expect(() => clock.advance({ fortnights: 1 } as object)).toThrow(TypeError)
  })

  it("does not stop timers", async () => {
    using clock = fixedClock()
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(Date.now()).toBe(clock.now())
  })
})
