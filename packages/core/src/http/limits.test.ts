import { describe, expect, it } from "vitest"
import {
  assertFewCookies,
  assertFewPairs,
  assertShortAddress,
  assertSmallHeaders,
  defaultRequestLimits,
  leastHeaderBytes,
  resolveRequestLimits,
} from "./limits.js"

const refused = (status: number) => expect.objectContaining({ type: "InvalidRequest", status })

describe("resolveRequestLimits", () => {
  it("fills in the defaults", () => {
    expect(resolveRequestLimits()).toEqual({
      bodyBytes: 65_536,
      headerBytes: 98_304,
      urlLength: 16_384,
      queryPairs: 100,
      jsonDepth: 32,
      sessionChunks: 20,
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

describe("the limits of a request", () => {
  const limits = resolveRequestLimits({ urlLength: 30, headerBytes: 20, queryPairs: 3 })

  it("LIM-05: refuses a longer URL with 414", () => {
    expect(() => assertShortAddress("a".repeat(30), limits)).not.toThrow()
    expect(() => assertShortAddress("a".repeat(31), limits)).toThrow(refused(414))
  })

  it("LIM-05: refuses larger headers with 431", () => {
    expect(() => assertFewCookies(null, limits)).not.toThrow()
    expect(() => assertFewCookies("a".repeat(20), limits)).not.toThrow()
    expect(() => assertFewCookies("a".repeat(21), limits)).toThrow(refused(431))
    expect(() => assertSmallHeaders(new Headers({ a: "b".repeat(9), c: "d".repeat(9) }), limits)).not.toThrow()
    expect(() => assertSmallHeaders(new Headers({ a: "b".repeat(9), c: "d".repeat(10) }), limits)).toThrow(refused(431))
  })

  it("LIM-05: refuses more query parameters with 400", () => {
    const withQuery = (query: string) => () => assertFewPairs(new URL(`https://app.test/${query}`), limits)
    for (const query of ["", "?", "?a", "?a=1&b=2&c=3", "?a=%26&&"]) expect(withQuery(query)).not.toThrow()
    for (const query of ["?a=1&b=2&c=3&d=4", "?&&&"]) expect(withQuery(query)).toThrow(refused(400))
  })
})
