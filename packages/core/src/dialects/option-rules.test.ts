import { describe, expect, it } from "vitest"
import { issuerUrl, oneOf, optional, required, textLike } from "./option-rules.js"

describe("issuerUrl", () => {
  const rule = issuerUrl("https://tenant.example.com")

  it.each([
    ["no URL", "tenant.example.com"],
    ["a path", "/tenant"],
    ["another scheme", "ftp://tenant.example.com"],
    ["a script", "javascript:1"],
    ["a query", "https://tenant.example.com?a=b"],
    ["an empty query", "https://tenant.example.com?"],
    ["a fragment", "https://tenant.example.com#a"],
    ["credentials", "https://user:c4n4ry@tenant.example.com"],
    ["a placeholder that was not filled in", "https://{tenant}.example.com"],
    ["a space", "https://tenant.example.com/a b"],
    ["a number", 7],
    ["nothing", undefined],
  ])("refuses %s with an example, and without the value", (_, value) => {
    expect(rule(value)).toBe("must be an http(s) URL without query, such as https://tenant.example.com")
  })

  it.each(["https://id.example.com", "https://id.example.com/realms/a/", "http://localhost:8080/x"])(
    "accepts %s",
    (value) => expect(rule(value)).toBeNull(),
  )
})

describe("the other rules", () => {
  it("name the words, or say their sentence", () => {
    expect(oneOf(["us", "eu"])("asia")).toBe("must be one of us, eu")
    expect(textLike(/^\d+$/, "must be a number")("c4n4ry")).toBe("must be a number")
    expect(required("must be the key")(" ")).toBe("must be the key")
    for (const rule of [oneOf(["us"]), textLike(/./, "x"), required("x")]) {
      expect(rule(undefined)).not.toBeNull()
      expect(rule(["us"])).not.toBeNull()
    }
  })

  it("hold for what fits", () => {
    expect(oneOf(["us", "eu"])("eu")).toBeNull()
    expect(textLike(/^\d+$/, "must be a number")("12")).toBeNull()
    expect(required("must be the key")("k")).toBeNull()
  })

  it("may be asked of given values alone", () => {
    const rule = optional(oneOf(["us"]))
    expect(rule(undefined)).toBeNull()
    expect(rule("")).toBe("must be one of us")
    expect(rule("us")).toBeNull()
  })
})
