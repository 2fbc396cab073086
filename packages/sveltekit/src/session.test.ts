import { settingsOf } from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import { memoryAdapter } from "@latchkey/testkit"
import { integrationConfig } from "@latchkey/testkit/integration"
import type { Cookies, RequestEvent } from "@sveltejs/kit"
import { describe, expect, it, vi } from "vitest"
import { requestAuthFinder, setCookies } from "./session.js"

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

describe("requireAuth", () => {
  it("refuses loaders that run in parallel alike: SvelteKit sets no header a second time", async () => {
    const adapter = { ...memoryAdapter(), getSessionAndUser: () => Promise.reject(new Error("The store is down")) }
    const config = { ...integrationConfig(), adapter, session: { strategy: "database" } as const }
    const headers = { cookie: `__Secure-authjs.session-token=${crypto.randomUUID()}` }
    const url = new URL("https://app.test/private")
    const sent = new Set<string>()
    const event = {
      url,
      request: new Request(url, { headers }),
      cookies: { getAll: () => [] },
      getClientAddress: () => "192.0.2.1",
      setHeaders(added: Readonly<Record<string, string>>) {
        for (const name of Object.keys(added)) {
          if (sent.has(name)) throw new Error(`"${name}" header is already set`)
          sent.add(name)
        }
      },
    }
    const find = requestAuthFinder(async () => settingsOf(config, { env: {} }))
    // as: the parts of an event that are used.
    const { auth } = await find(event as unknown as RequestEvent)
    const warn = vi.spyOn(console, "warn")
    const refused = await Promise.allSettled([auth.requireAuth(), auth.requireAuth()])
    const refusal = { status: "rejected", reason: { status: 503 } }
    expect([refused, [...sent]]).toMatchObject([[refusal, refusal], ["retry-after"]])
    expect(warn).not.toHaveBeenCalled()
  })

  it("refuses a remote function with 401, also on the sign-in page, which the browser names", async () => {
    const config = { ...integrationConfig(), pages: { signIn: "/login" } }
    const event = {
      url: new URL("https://app.test/login"),
      isRemoteRequest: true,
      request: new Request("https://app.test/_app/remote/1a2b/find", { headers: { "x-sveltekit-pathname": "/login" } }),
      cookies: { getAll: () => [] },
      getClientAddress: () => "192.0.2.1",
    }
    // as: the parts of an event that are used.
    const { auth } = await requestAuthFinder(async () => settingsOf(config, { env: {} }))(
      event as unknown as RequestEvent,
    )
    await expect(auth.requireAuth()).rejects.toMatchObject({ status: 401 })
  })
})
