import { describe, expect, it } from "vitest"
import { isNobody, toCaller } from "./caller.js"

function eventOf(headers: Record<string, string>, getClientAddress: () => string) {
  const request = new Request("https://app.test/x", { headers })
  return { request, url: new URL(request.url), getClientAddress }
}

/** As SvelteKit does while it prerenders. */
const refuse = (): never => {
  throw new Error("Cannot read clientAddress during prerendering")
}

describe("toCaller", () => {
  it("CSRF-11: vouches for a form only where its origin can be looked at", () => {
    const silent = toCaller(eventOf({}, () => "192.0.2.1"))
    const spoken = toCaller(eventOf({ origin: "https://app.test" }, () => "192.0.2.1"))
    expect([silent.context?.isVerifiedForm, spoken.context?.isVerifiedForm]).toEqual([false, true])
  })

  it("takes protocol, host and address from what SvelteKit makes of the request", () => {
    expect(toCaller(eventOf({ host: "other.test" }, () => "192.0.2.1"))).toMatchObject({
      protocol: "https:",
      host: "app.test",
      context: { clientAddress: "192.0.2.1" },
    })
  })

  it("does without an address that SvelteKit cannot say", () => {
    expect(toCaller(eventOf({}, refuse)).context?.clientAddress).toBeUndefined()
  })
})

describe("isNobody", () => {
  it("knows a request that SvelteKit makes while it prerenders", () => {
    expect(isNobody(toCaller(eventOf({}, refuse)))).toBe(true)
    expect(isNobody(toCaller(eventOf({ cookie: "a=b" }, refuse)))).toBe(false)
    expect(isNobody(toCaller(eventOf({}, () => "192.0.2.1")))).toBe(false)
  })
})
