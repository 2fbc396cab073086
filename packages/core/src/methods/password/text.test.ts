import { describe, expect, it } from "vitest"
import { maxPasswordBytes, prepareNewPassword } from "./text.js"

describe("a new password", () => {
  it.each([
    ["an empty text", "", "missing"],
    ["1,025 bytes", "a".repeat(maxPasswordBytes + 1), "too-long"],
    ["1,026 bytes in 342 characters", "\u20ac".repeat(342), "too-long"],
    ["a line break", "correct horse\nbattery", "characters"],
    ["a NUL", "correct horse\0battery", "characters"],
    ["a lone surrogate", "correct horse \ud800 battery", "characters"],
  ])("is refused with %s", (_, text, code) => {
    expect(() => prepareNewPassword(text)).toThrow(expect.objectContaining({ type: "PasswordRefused", code }))
  })

  it.each(["a".repeat(1024), "\u20ac".repeat(341), "👩‍👩‍👧 emoji", "\u05e9\u05dc\u05d5\u05dd", "  blanks  "])(
    "may be %j: nothing is cut, no character is required",
    (text) => expect(prepareNewPassword(text)).toBe(text),
  )

  it("has spaces for other blanks, and composed accents", () => {
    expect(prepareNewPassword("e\u0301\u00a0\u2003x")).toBe("\u00e9  x")
  })
})
