import { describe, expect, it } from "vitest"
import { largest, median, quantile, spread } from "./statistics.ts"

describe("median", () => {
  it("returns the middle value of unsorted values", () => {
    expect(median([9, 1, 5])).toBe(5)
  })

  it("returns the mean of two middle values", () => {
    expect(median([4, 1, 2, 9])).toBe(3)
  })

  it("ignores one outlier", () => {
    expect(median([10, 11, 10_000, 12, 11])).toBe(11)
  })

  it("sorts by number, not by text, and does not change its input", () => {
    const values = [100, 9, 20]
    expect(median(values)).toBe(20)
    expect(values).toEqual([100, 9, 20])
  })

  it("returns NaN without values", () => {
    expect(median([])).toBeNaN()
  })
})

describe("largest", () => {
  it("returns the largest of more values than a call has room for", () => {
    const values = Array.from({ length: 1_000_000 }, (_, n) => -n)
    values[700_000] = 3
    expect(largest(values)).toBe(3)
    expect(largest([-5, -2, -9])).toBe(-2)
    expect(largest([])).toBeNaN()
  })
})

describe("quantile", () => {
  it("interpolates between neighbors", () => {
    expect(quantile([10, 20], 0.25)).toBe(12.5)
  })

  it("ranges from the smallest to the largest value", () => {
    expect([quantile([3, 1, 2], 0), quantile([3, 1, 2], 1)]).toEqual([1, 3])
  })
})

describe("spread", () => {
  it("returns half the interquartile range relative to the median", () => {
    expect(spread([8, 9, 10, 11, 12])).toBe(0.1)
  })

  it("returns zero when all values are equal", () => {
    expect(spread([7, 7, 7])).toBe(0)
  })
})
