import { describe, expect, it } from "vitest"
import { median, quantile, spread } from "./statistics.ts"

describe("median", () => {
  it("is the middle value, however the values are ordered", () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it("is the mean of two middle values", () => {
    expect(median([4, 1, 2, 9])).toBe(3)
  })

  it("is not moved by one slice that was disturbed", () => {
    expect(median([10, 11, 10_000, 12, 11])).toBe(11)
  })

  it("sorts by number, not by text, and leaves the values as they were", () => {
    const values = [100, 9, 20]
    expect(median(values)).toBe(20)
    expect(values).toEqual([100, 9, 20])
  })

  it("is no number where nothing was measured", () => {
    expect(median([])).toBeNaN()
  })
})

describe("quantile", () => {
  it("interpolates between neighbours", () => {
    expect(quantile([10, 20], 0.25)).toBe(12.5)
  })

  it("reaches from the smallest to the largest value", () => {
    expect([quantile([3, 1, 2], 0), quantile([3, 1, 2], 1)]).toEqual([1, 3])
  })
})

describe("spread", () => {
  it("is half the distance of the quartiles as a part of the median", () => {
    expect(spread([8, 9, 10, 11, 12])).toBe(0.1)
  })

  it("is nothing where all slices agree", () => {
    expect(spread([7, 7, 7])).toBe(0)
  })
})
