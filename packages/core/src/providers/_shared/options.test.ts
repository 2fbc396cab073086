import { describe, expect, it } from "vitest"
import { deriveFromIssuer, issuerUrl, matching, oneOf, optional, required } from "./options.js"

const derive = deriveFromIssuer((base) => ({ token: `${base}/token` }))

describe("deriveFromIssuer", () => {
  it("derives nothing without an issuer", () => {
    expect(derive({})).toEqual({})
  })

  it("drops a trailing slash, and matches the issuer with and without it", () => {
    const { isIssuer, ...facts } = derive({ issuer: "https://git.test/sub/" })
    expect(facts).toEqual({ issuer: "https://git.test/sub/", token: "https://git.test/sub/token" })
    const found = ["https://git.test/sub", "https://git.test/sub/", "https://git.test", "https://evil.test/sub"]
    expect(found.filter((issuer) => isIssuer?.(issuer, {}))).toEqual(found.slice(0, 2))
  })

  // Quadratic time would take billions of steps: the test would time out.
  it("LIM-08: compares an issuer with half a million slashes", () => {
    const { isIssuer } = deriveFromIssuer(() => ({}))({ issuer: "https://git.test" })
    for (const end of ["", "x"]) expect(isIssuer?.(`https://git.test${"/".repeat(500_000)}${end}`, {})).toBe(end === "")
  })

  it("uses the default issuer if none is set", () => {
    const withDefault = deriveFromIssuer((base) => ({ token: `${base}/token` }), "https://git.test")
    expect(withDefault({}).token).toBe("https://git.test/token")
    expect(withDefault({ issuer: "https://own.test" }).token).toBe("https://own.test/token")
  })

  it("matches the issuer of the derived facts, if they have one", () => {
    const { isIssuer } = deriveFromIssuer((base) => ({ issuer: `${base}/oidc` }))({ issuer: "https://id.test" })
    expect(isIssuer?.("https://id.test/oidc", {})).toBe(true)
    expect(isIssuer?.("https://id.test", {})).toBe(false)
  })
})

describe("issuerUrl", () => {
  const rule = issuerUrl("https://tenant.example.com")

  it.each([
    ["no scheme", "tenant.example.com"],
    ["a path", "/tenant"],
    ["another scheme", "ftp://tenant.example.com"],
    ["a script", "javascript:1"],
    ["a query", "https://tenant.example.com?a=b"],
    ["an empty query", "https://tenant.example.com?"],
    ["a fragment", "https://tenant.example.com#a"],
    ["credentials", "https://user:c4n4ry@tenant.example.com"],
    ["an unfilled placeholder", "https://{tenant}.example.com"],
    ["a space", "https://tenant.example.com/a b"],
    ["a number", 7],
    ["nothing", undefined],
  ])("rejects %s with an example, and without repeating the value", (_, value) => {
    expect(rule(value)).toBe("must be an http(s) URL without a query, such as https://tenant.example.com")
  })

  it.each(["https://id.example.com", "https://id.example.com/realms/a/", "http://localhost:8080/x"])(
    "accepts %s",
    (value) => expect(rule(value)).toBeNull(),
  )
})

describe("option rules", () => {
  it("reject invalid and missing values with their message", () => {
    expect(oneOf(["us", "eu"])("asia")).toBe("must be one of us, eu")
    expect(matching(/^\d+$/, "must be a number")("c4n4ry")).toBe("must be a number")
    expect(required("must be the key")(" ")).toBe("must be the key")
    for (const rule of [oneOf(["us"]), matching(/./, "x"), required("x")]) {
      expect(rule(undefined)).not.toBeNull()
      expect(rule(["us"])).not.toBeNull()
    }
  })

  it("accept valid values", () => {
    expect(oneOf(["us", "eu"])("eu")).toBeNull()
    expect(matching(/^\d+$/, "must be a number")("12")).toBeNull()
    expect(required("must be the key")("k")).toBeNull()
  })

  it("skip unset options with `optional`", () => {
    const rule = optional(oneOf(["us"]))
    expect(rule(undefined)).toBeNull()
    expect(rule("")).toBe("must be one of us")
    expect(rule("us")).toBeNull()
  })
})
