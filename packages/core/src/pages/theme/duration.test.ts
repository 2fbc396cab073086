import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatDuration } from "./duration.js"

describe("formatDuration", () => {
  it.each([
    [0, "1 second"],
    [1, "1 second"],
    [45, "45 seconds"],
    [60, "1 minute"],
    [600, "10 minutes"],
    [3600, "1 hour"],
    [5400, "90 minutes"],
    [7200, "2 hours"],
    [86_400, "24 hours"],
    [172_800, "48 hours"],
    [259_200, "3 days"],
  ])("says %i seconds as %j", (seconds, words) => {
    expect(formatDuration(seconds, "en")).toBe(words)
  })

  it("follows the grammar of the language", () => {
    expect(formatDuration(86_400, "de")).toBe("24 Stunden")
  })

  it("never promises more time than given", () => {
    const sizes: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86_400 }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
        const [count = "", unit = ""] = formatDuration(seconds, "en").split(" ")
        const promised = Number(count) * (sizes[unit.replace(/s$/, "")] ?? Number.NaN)
        expect(promised).toBeGreaterThan(0)
        expect(promised).toBeLessThanOrEqual(seconds)
      }),
    )
  })
})
