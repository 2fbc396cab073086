import type { ResponseCookie } from "@latchkey/core/types"
import type { Cookies } from "@sveltejs/kit"
import { describe, expect, it, vi } from "vitest"
import { setCookies } from "./session.js"

describe("setCookies", () => {
  function setOf(options: ResponseCookie["options"]) {
    const set = vi.fn<Cookies["set"]>()
    // The only method of SvelteKit's jar that is called.
    setCookies({ set } as unknown as Cookies, [{ name: "a", value: "b", options }])
    return set.mock.calls[0]
  }

  it("sets every attribute that has a default in SvelteKit", () => {
    const defaults = { path: "/", httpOnly: false, secure: false, sameSite: false, partitioned: false }
    expect(setOf({})).toEqual(["a", "b", defaults])
  })

  it("passes every attribute on", () => {
    const expires = new Date(0)
    const flags = { path: "/x", httpOnly: true, secure: true, sameSite: "lax", partitioned: true } as const
    const options = { ...flags, domain: "app.test", expires, priority: "high" } as const
    expect(setOf({ ...options, maxAge: 1.5 })?.[2]).toEqual({ ...options, maxAge: 1 })
  })
})
