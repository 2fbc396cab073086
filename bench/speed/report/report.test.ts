import { describe, expect, it } from "vitest"
import { atLeast, atMost } from "./report.ts"

const text = { goal: "a goal", measured: "a number" }

describe("atLeast", () => {
  it.each([
    { measured: 24.9, isReached: false, isFarOff: false },
    { measured: 25, isReached: true, isFarOff: false },
    { measured: 12.5, isReached: false, isFarOff: false },
    { measured: 12.4, isReached: false, isFarOff: true },
  ])("compares $measured with a goal of 25", ({ measured, ...expected }) => {
    expect(atLeast(25, measured, text)).toEqual({ ...text, ...expected })
  })
})

describe("atMost", () => {
  it.each([
    { measured: 1.5, isReached: true, isFarOff: false },
    { measured: 1.51, isReached: false, isFarOff: false },
    { measured: 3, isReached: false, isFarOff: false },
    { measured: 3.01, isReached: false, isFarOff: true },
  ])("compares $measured with a goal of 1.5", ({ measured, ...expected }) => {
    expect(atMost(1.5, measured, text)).toEqual({ ...text, ...expected })
  })
})

describe("a verdict on NaN", () => {
  it("misses the goal and fails CI", () => {
    for (const verdict of [atLeast(25, Number.NaN, text), atMost(1.5, Number.NaN, text)]) {
      expect(verdict).toMatchObject({ isReached: false, isFarOff: true })
    }
  })
})
