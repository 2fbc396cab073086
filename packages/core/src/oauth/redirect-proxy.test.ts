import { describe, expect, it } from "vitest"
import { decideProxy, resolveRedirectUri } from "./redirect-proxy.js"

const provider = { id: "oidc", redirectProxyUrl: "https://proxy.test/api/auth", isFormPost: false }
const local = "https://preview.test/auth/callback/oidc"

describe("resolveRedirectUri", () => {
  it("is the proxy's callback, or the service's own without a proxy", () => {
    expect(resolveRedirectUri(provider, local)).toBe("https://proxy.test/api/auth/callback/oidc")
    expect(resolveRedirectUri({ ...provider, redirectProxyUrl: "https://proxy.test/auth/" }, local)).toBe(
      "https://proxy.test/auth/callback/oidc",
    )
    expect(resolveRedirectUri({ id: "oidc", isFormPost: false }, local)).toBe(local)
  })

  it("is the service's own for form posts", () => {
    expect(resolveRedirectUri({ ...provider, isFormPost: true }, local)).toBe(local)
  })

  it.each(["nothing", "ftp://proxy.test", "javascript:alert(1)"])("refuses the proxy %s", (redirectProxyUrl) => {
    expect(() => resolveRedirectUri({ ...provider, redirectProxyUrl }, local)).toThrow(/redirectProxyUrl/)
  })
})

describe("decideProxy", () => {
  const decide = (stateOrigin: string | undefined, origin = "https://proxy.test") =>
    decideProxy({ provider, origin, stateOrigin })

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
  ])("HOST-08: forwards to no other place than a callback of this provider: %s", (stateOrigin) => {
    expect(() => decide(stateOrigin)).toThrow(expect.objectContaining({ type: "InvalidCheck" }))
  })

  it("forwards where the flow began, when this is the proxy", () => {
    expect(decide(local)?.href).toBe(local)
    expect(decide("http://localhost:3000/auth/callback/oidc")?.href).toBe("http://localhost:3000/auth/callback/oidc")
  })

  it("completes here what began here, and what no proxy is needed for", () => {
    expect(decide("https://proxy.test/api/auth/callback/oidc")).toBeNull()
    expect(decide(undefined)).toBeNull()
    expect(decide(local, "https://preview.test")).toBeNull()
    expect(
      decideProxy({ provider: { id: "oidc", isFormPost: false }, origin: "https://proxy.test", stateOrigin: local }),
    ).toBeNull()
  })
})
