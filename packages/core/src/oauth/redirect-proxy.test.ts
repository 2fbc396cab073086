import { describe, expect, it } from "vitest"
import { createAllowedOrigins } from "../http/origin.js"
import { decideProxy, resolveRedirectUri } from "./redirect-proxy.js"

const provider = { id: "oidc", redirectProxyUrl: "https://proxy.test/api/auth", isFormPost: false }
const local = "https://preview.test/auth/callback/oidc"

describe("resolveRedirectUri", () => {
  it("returns the proxy's callback, or the service's own without a proxy", () => {
    expect(resolveRedirectUri(provider, local)).toBe("https://proxy.test/api/auth/callback/oidc")
    expect(resolveRedirectUri({ ...provider, redirectProxyUrl: "https://proxy.test/auth/" }, local)).toBe(
      "https://proxy.test/auth/callback/oidc",
    )
    expect(resolveRedirectUri({ id: "oidc", isFormPost: false }, local)).toBe(local)
  })

  it("returns the service's own callback for form posts", () => {
    expect(resolveRedirectUri({ ...provider, isFormPost: true }, local)).toBe(local)
  })

  it.each(["nothing", "ftp://proxy.test", "javascript:alert(1)"])("rejects the proxy %s", (redirectProxyUrl) => {
    expect(() => resolveRedirectUri({ ...provider, redirectProxyUrl }, local)).toThrow(/redirectProxyUrl/)
  })
})

describe("decideProxy", () => {
  const allowedOrigins = createAllowedOrigins([
    "https://preview.test",
    "https://*.preview.test",
    "http://localhost:3000",
  ])
  const decide = (stateOrigin: string | undefined, origin = "https://proxy.test", allowed = allowedOrigins) =>
    decideProxy({ provider, origin, stateOrigin, allowedOrigins: allowed })

  it.each([
    "javascript:alert(1)//callback/oidc",
    "data:text/html,/callback/oidc",
    "blob:https://preview.test/callback/oidc",
    "/auth/callback/oidc",
    "https://preview.test/",
    "https://preview.test/auth/callback/other",
    "https://preview.test/auth/callback/oidc/more",
    "https://preview.test/?x=/auth/callback/oidc",
    "https://preview.test/#/callback/oidc",
    "https://user@preview.test/auth/callback/oidc",
    "https://preview.test/auth/callback/oidc?x=1",
    "nothing",
    "",
  ])("HOST-08: does not forward to anything but a callback of this provider: %s", (stateOrigin) => {
    expect(() => decide(stateOrigin)).toThrow(expect.objectContaining({ type: "InvalidCheck" }))
  })

  it.each([
    "https://evil.test/auth/callback/oidc",
    "http://preview.test/auth/callback/oidc",
    "https://preview.test:8443/auth/callback/oidc",
    "https://a.b.preview.test/auth/callback/oidc",
    "https://preview.test.evil.test/auth/callback/oidc",
  ])("HOST-08: does not forward to an origin that is not listed: %s", (stateOrigin) => {
    expect(() => decide(stateOrigin)).toThrow(expect.objectContaining({ type: "UntrustedHost" }))
    const { origin } = new URL(stateOrigin)
    expect(() => decide(stateOrigin)).toThrow(`allowedOrigins: ["${origin}"]`)
  })

  it("HOST-08: does not forward without a list", () => {
    expect(() =>
      decideProxy({ provider, origin: "https://proxy.test", stateOrigin: local, allowedOrigins: null }),
    ).toThrow(/allowedOrigins/)
  })

  it("HOST-08: forwards to the origin where the flow began, if this is the proxy and the origin is listed", () => {
    expect(decide(local)?.href).toBe(local)
    expect(decide("https://pr-7.preview.test/auth/callback/oidc")?.origin).toBe("https://pr-7.preview.test")
    expect(decide("http://localhost:3000/auth/callback/oidc")?.href).toBe("http://localhost:3000/auth/callback/oidc")
  })

  it("completes flows that began here or need no proxy", () => {
    expect(decide("https://proxy.test/api/auth/callback/oidc")).toBeNull()
    expect(decide(undefined)).toBeNull()
    expect(decide(local, "https://preview.test")).toBeNull()
    expect(
      decideProxy({
        provider: { id: "oidc", isFormPost: false },
        origin: "https://proxy.test",
        stateOrigin: local,
        allowedOrigins,
      }),
    ).toBeNull()
  })
})
