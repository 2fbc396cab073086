import { describe, expect, it } from "vitest"
import { parseWaitedUs, readWaitedUs } from "./waited.ts"

describe("the time waited for a processor", () => {
  it("is the second number, in nanoseconds", () => {
    expect(parseWaitedUs("1234567 89000 42\n")).toBe(89)
  })

  it("is nothing where the system says something else", () => {
    expect(parseWaitedUs("")).toBe(0)
  })

  it("never runs backwards", () => {
    const before = readWaitedUs()
    expect(readWaitedUs()).toBeGreaterThanOrEqual(before)
  })
})
