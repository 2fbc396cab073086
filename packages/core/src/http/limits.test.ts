import { describe, expect, it } from "vitest"
import { defaultRequestLimits, leastHeaderBytes, resolveRequestLimits } from "./limits.js"

describe("resolveRequestLimits", () => {
  it("fills in the defaults", () => {
    expect(resolveRequestLimits()).toEqual({
      bodyBytes: 65_536,
      headerBytes: 98_304,
      urlLength: 16_384,
      queryPairs: 100,
      jsonDepth: 32,
      sessionChunks: 3,
      flows: 5,
      passkeyChallenges: 3,
    })
  })

  it("leaves room in the headers for the largest session", () => {
    for (const sessionChunks of [1, 8, 20]) {
      const limits = resolveRequestLimits({ sessionChunks })
      expect(limits.headerBytes).toBeGreaterThan(leastHeaderBytes(limits))
      expect(leastHeaderBytes(limits)).toBe(sessionChunks * 4096)
    }
  })

  it("keeps given values, including unknown fields", () => {
    const given = { flows: 2, bodyBites: 1 }
    expect(resolveRequestLimits(given)).toEqual({ ...defaultRequestLimits, ...given })
  })
})
