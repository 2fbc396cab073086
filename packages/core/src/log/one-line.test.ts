import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toOneLine } from "./one-line.js"

describe("toOneLine", () => {
  it("LOG-04: escapes what could end a line or steer a terminal", () => {
    expect(toOneLine("x\r\n[auth] fake\u001b[2J\u2028\u0085\0")).toBe(
      "x\\u000d\\u000a[auth] fake\\u001b[2J\\u2028\\u0085\\u0000",
    )
  })

  it("LOG-04: leaves no control character in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(toOneLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }),
    )
  })

  it("keeps all other text, and cuts it", () => {
    expect(toOneLine("Grüße, 東京 🗼")).toBe("Grüße, 東京 🗼")
    expect(toOneLine("a".repeat(1_000_000))).toHaveLength(2_000)
  })
})
