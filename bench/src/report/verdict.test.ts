import { describe, expect, it } from "vitest"
import { atLeast, atMost } from "./verdict.ts"

const words = { goal: "a goal", measured: "a number" }

describe("atLeast", () => {
  it.each([
    { measured: 24.9, isReached: false, isFarOff: false },
    { measured: 25, isReached: true, isFarOff: false },
    { measured: 12.5, isReached: false, isFarOff: false },
    { measured: 12.4, isReached: false, isFarOff: true },
  ])("holds $measured against 25", ({ measured, ...expected }) => {
    expect(atLeast(25, measured, words)).toEqual({ ...words, ...expected })
  })
})

describe("atMost", () => {
  it.each([
    { measured: 1.5, isReached: true, isFarOff: false },
    { measured: 1.51, isReached: false, isFarOff: false },
    { measured: 3, isReached: false, isFarOff: false },
    { measured: 3.01, isReached: false, isFarOff: true },
  ])("holds $measured against 1.5", ({ measured, ...expected }) => {
    expect(atMost(1.5, measured, words)).toEqual({ ...words, ...expected })
  })
})

describe("a number that is none", () => {
  it("reaches no goal and fails CI", () => {
    for (const verdict of [atLeast(25, Number.NaN, words), atMost(1.5, Number.NaN, words)]) {
      expect(verdict).toMatchObject({ isReached: false, isFarOff: true })
    }
  })
})
