import { describe, expect, it } from "vitest"
import { findConfiguredUrl, isConfiguredUrlBroken, trustsHost } from "./env-url.js"

const broken = ["app.test", "localhost:3000", "javascript:alert(1)", "https://", "1"]

describe("findConfiguredUrl", () => {
  it.each(broken)("takes nothing from AUTH_URL=%j", (AUTH_URL) => {
    expect(findConfiguredUrl({ AUTH_URL })).toBeNull()
    expect(isConfiguredUrlBroken({ AUTH_URL })).toBe(true)
  })

  it("takes AUTH_URL first; an empty one is not there", () => {
    expect(findConfiguredUrl({ AUTH_URL: "https://app.test:443/api/auth" })?.href).toBe("https://app.test/api/auth")
    expect(findConfiguredUrl({ AUTH_URL: "", NEXTAUTH_URL: "http://old.test:3000" })?.origin).toBe(
      "http://old.test:3000",
    )
    expect(findConfiguredUrl({ AUTH_URL: "https://new.test", NEXTAUTH_URL: "https://old.test" })?.host).toBe("new.test")
    for (const env of [{}, { AUTH_URL: "" }]) {
      expect([findConfiguredUrl(env), isConfiguredUrlBroken(env)]).toEqual([null, false])
    }
  })
})

describe("trustsHost", () => {
  it.each(broken)("HOST-01: is not talked round by AUTH_URL=%j, which names no host", (url) => {
    for (const name of ["AUTH_URL", "NEXTAUTH_URL"]) {
      expect(trustsHost({ NODE_ENV: "production", [name]: url }), name).toBe(false)
    }
  })

  it("trusts where an address is configured, and outside production", () => {
    expect(trustsHost({ NODE_ENV: "production", AUTH_URL: "https://app.test" })).toBe(true)
    expect(trustsHost({ NODE_ENV: "production", NEXTAUTH_URL: "http://app.test" })).toBe(true)
    expect(trustsHost({})).toBe(true)
  })
})
