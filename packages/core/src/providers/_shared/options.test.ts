import { describe, expect, it } from "vitest"
import { belowBase, issuerUrl, oneOf, optional, required, textLike } from "./options.js"

const derive = belowBase((base) => ({ token: `${base}/token` }))

describe("belowBase", () => {
  it("derives nothing without an address", () => {
    expect(derive({})).toEqual({})
  })

  it("builds on the address without its last slash, and knows it with and without", () => {
    const { isIssuer, ...facts } = derive({ issuer: "https://git.test/sub/" })
    expect(facts).toEqual({ issuer: "https://git.test/sub/", token: "https://git.test/sub/token" })
    const found = ["https://git.test/sub", "https://git.test/sub/", "https://git.test", "https://evil.test/sub"]
    expect(found.filter((issuer) => isIssuer?.(issuer, {}))).toEqual(found.slice(0, 2))
  })

  it("takes the usual address where none is given", () => {
    const usual = belowBase((base) => ({ token: `${base}/token` }), "https://git.test")
    expect(usual({}).token).toBe("https://git.test/token")
    expect(usual({ issuer: "https://own.test" }).token).toBe("https://own.test/token")
  })

  it("compares with the issuer that the facts name", () => {
    const { isIssuer } = belowBase((base) => ({ issuer: `${base}/oidc` }))({ issuer: "https://id.test" })
    expect(isIssuer?.("https://id.test/oidc", {})).toBe(true)
    expect(isIssuer?.("https://id.test", {})).toBe(false)
  })
})

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
