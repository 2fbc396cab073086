import { describe, expect, it } from "vitest"
import type { RequestLimits } from "../contract/request-limits.js"
import { resolveRequestLimits } from "../web/request-limits.js"
import { findRequestLimitsMistake } from "./request-limits-mistake.js"

const mistakeIn = (given: object) => findRequestLimitsMistake(resolveRequestLimits(given))
const names = Object.keys(resolveRequestLimits()) as (keyof RequestLimits)[] // The keys of a literal.

describe("findRequestLimitsMistake", () => {
  it.each(names)("CONF-07: refuses %s that is no whole number, or out of all reason", (name) => {
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40, "64kb", {}, true]) {
      expect(mistakeIn({ [name]: value })).toMatch(
        new RegExp(`^requestLimits\\.${name}: must be a whole number from \\d+ to \\d+$`),
      )
    }
  })

  it("finds nothing in the defaults, nor in what is left open", () => {
    expect(mistakeIn({})).toBeNull()
    expect(mistakeIn({ bodyBytes: undefined, flows: undefined })).toBeNull()
  })

  it("takes the least and the most of each", () => {
    const least = { bodyBytes: 1024, headerBytes: 4096, urlLength: 1024, queryPairs: 10, jsonDepth: 4 }
    expect(mistakeIn({ ...least, sessionChunks: 1, flows: 1, passkeyChallenges: 1 })).toBeNull()
    const mebi = 1024 * 1024
    const most = { bodyBytes: 16 * mebi, headerBytes: mebi, urlLength: mebi, queryPairs: 10_000, jsonDepth: 1000 }
    expect(mistakeIn({ ...most, sessionChunks: 20, flows: 20, passkeyChallenges: 10 })).toBeNull()
    expect(mistakeIn({ sessionChunks: 21 })).toMatch(/from 1 to 20$/)
  })

  it("refuses headers that could not bring back the sessions that the service writes", () => {
    const sentence =
      /^requestLimits\.headerBytes: must be at least 81920, .* Lower requestLimits\.sessionChunks as well$/
    expect(mistakeIn({ headerBytes: 81_919 })).toMatch(sentence)
    expect(mistakeIn({ headerBytes: 81_920 })).toBeNull()
    expect(mistakeIn({ headerBytes: 16_384, sessionChunks: 4 })).toBeNull()
  })

  it("names a limit that there is not", () => {
    expect(mistakeIn({ bodySize: 1024 })).toMatch(/^requestLimits\.bodySize: there is no such limit, only bodyBytes, /)
    expect(mistakeIn(JSON.parse('{"__proto__":1}'))).toMatch(/^requestLimits\.__proto__: there is no such limit/)
  })
})
