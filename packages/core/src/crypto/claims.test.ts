import { describe, expect, it } from "vitest"
import { parseClaims } from "./claims.js"

describe("parseClaims", () => {
  it.each(["[]", "[1]", "null", '"x"', "1", "", "{"])("refuses %o", (text) => {
    expect(parseClaims(text)).toBeNull()
  })

  it("refuses 501 levels and accepts 500, in arrays and in objects", () => {
    const nest = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`
    const nestObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`
    for (const make of [nest, nestObjects]) {
      expect(parseClaims(make(501))).toBeNull()
      expect(parseClaims(make(500))).toHaveProperty("a")
    }
  })
})
