import { describe, expect, it } from "vitest"
import { authenticatorApp } from "./authenticator-app.js"

/** The secret of RFC 6238 appendix B, "12345678901234567890". */
const secret = "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"

describe("authenticatorApp", () => {
  it.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("shows the code of RFC 6238 at second %d", async (second, code) => {
    const app = authenticatorApp(secret, () => second * 1000)
    expect(await app.code()).toBe(code)
    expect(await app.wrongCode()).not.toBe(code)
  })

  it("refuses a secret that is not base32", () => {
    expect(() => authenticatorApp("not-base32!")).toThrow("base32")
  })
})
