import type { ResponseCookie } from "@latchkey/core/types"
import type { Cookies } from "@sveltejs/kit"
import { describe, expect, it, vi } from "vitest"
import { setCookies, withRenewed } from "./cookies.js"

const renewed: ResponseCookie = { name: "session", value: "new", options: { path: "/", httpOnly: true } }

function answered(headers: HeadersInit = {}): Response {
  return new Response("page", { headers })
}

describe("withRenewed", () => {
  it.each([
    { "cache-control": "public, max-age=60" },
    { "cache-control": "max-age=0, S-MaxAge=60" },
    { "cdn-cache-control": "max-age=60" },
    { "vercel-cdn-cache-control": "max-age=60" },
    { "surrogate-control": "max-age=60" },
  ])("leaves a response alone that shared caches keep: %j", (headers) => {
    const response = answered(headers)
    expect(withRenewed(response, [renewed])).toBe(response)
  })

  it("leaves a cookie as it is that was set later", () => {
    const response = answered({ "set-cookie": "session=; Max-Age=0" })
    expect(withRenewed(response, [renewed]).headers.getSetCookie()).toEqual(["session=; Max-Age=0"])
  })

  it.each([{}, { "cache-control": "private, max-age=60" }, { "cdn-cache-control": "no-store" }])(
    "adds the cookie to any other: %j",
    async (headers) => {
      const response = withRenewed(answered({ ...headers, "set-cookie": "session.0=x" }), [renewed])
      expect(response.headers.getSetCookie()).toEqual(["session.0=x", "session=new; Path=/; HttpOnly"])
      expect(await response.text()).toBe("page")
    },
  )
})

describe("setCookies", () => {
  function setOf(options: ResponseCookie["options"]) {
    const set = vi.fn<Cookies["set"]>()
    // Nothing else of SvelteKit's jar is asked.
    setCookies({ set } as unknown as Cookies, [{ name: "a", value: "b", options }])
    return set.mock.calls[0]
  }

  it("says what SvelteKit would decide by itself", () => {
    const silent = { path: "/", httpOnly: false, secure: false, sameSite: false, partitioned: false }
    expect(setOf({})).toEqual(["a", "b", silent])
  })

  it("hands on every attribute", () => {
    const expires = new Date(0)
    const flags = { path: "/x", httpOnly: true, secure: true, sameSite: "lax", partitioned: true } as const
    const options = { ...flags, domain: "app.test", expires, priority: "high" } as const
    expect(setOf({ ...options, maxAge: 1.5 })?.[2]).toEqual({ ...options, maxAge: 1 })
  })
})
