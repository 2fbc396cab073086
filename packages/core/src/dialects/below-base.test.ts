import { describe, expect, it } from "vitest"
import { belowBase } from "./below-base.js"

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
