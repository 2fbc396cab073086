import { describe, expect, it } from "vitest"
import { randomHex, randomId, randomUUID, randomVerifier, toCodeChallenge } from "./random.js"

function drawMany(draw: () => string): readonly string[] {
  return Array.from({ length: 500 }, draw)
}

describe("random texts", () => {
  it("do not repeat", () => {
    for (const draw of [() => randomHex(32), () => randomId(22), randomUUID, randomVerifier]) {
      expect(new Set(drawMany(draw)).size).toBe(500)
    }
  })

  it("DBS-02: ten thousand tokens are distinct, and every digit is equally frequent at every position", () => {
    const tokens = Array.from({ length: 10_000 }, () => randomHex(32))
    expect(new Set(tokens).size).toBe(10_000)
    for (let place = 0; place < 64; place++) {
      const counts = new Map<string, number>()
      for (const token of tokens) counts.set(token.charAt(place), (counts.get(token.charAt(place)) ?? 0) + 1)
      // 625 are expected; a deviation of eight standard deviations (24 each) does not happen by chance.
      expect(counts.size).toBe(16)
      for (const count of counts.values()) expect(Math.abs(count - 625)).toBeLessThan(200)
    }
  })

  it("have the documented length and alphabet", () => {
    expect(randomHex(32)).toMatch(/^[\da-f]{64}$/)
    for (let length = 0; length < 40; length++) expect(randomId(length)).toMatch(new RegExp(`^[\\w-]{${length}}$`))
    expect(randomVerifier()).toMatch(/^[\w-]{43}$/)
    expect(randomUUID()).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  })

  it("use every character at every position of an id", () => {
    const ids = Array.from({ length: 4000 }, () => randomId(3))
    for (const place of [0, 1, 2]) expect(new Set(ids.map((id) => id[place])).size).toBe(64)
  })
})

describe("toCodeChallenge", () => {
  it("returns the challenge of RFC 7636 appendix B", async () => {
    expect(await toCodeChallenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
      "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
    )
  })
})
