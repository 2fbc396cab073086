import { describe, expect, it, onTestFinished, vi } from "vitest"
import { createPagesHandler } from "../src/api-route-handler-edge.js"
import type { NextAuthConfig } from "../src/config.js"
import { NextAuth } from "../src/next-auth.js"
import { createTestBrowser, right, testConfig } from "./app.js"

const sessionCookie = "__Secure-authjs.session-token"

function open(changes: Partial<NextAuthConfig> = {}) {
  return { app: NextAuth(testConfig(changes)), browser: createTestBrowser() }
}

describe("NextAuth", () => {
  it("logs a mistake in the configuration when the app starts, and while it is built, without a request", () => {
    vi.stubEnv("NEXT_PHASE", "phase-production-build")
    onTestFinished(() => void vi.unstubAllEnvs())
    const messages: string[] = []
    const session = { strategy: "jtw" } as never // as: an app in JavaScript.
    NextAuth({
      providers: [],
      session,
      secret: right.password.repeat(9),
      logger: { error: ({ message }) => void messages.push(message) },
    })
    expect(messages).toEqual(['session.strategy: must be "jwt" or "database"'])
  })

  it("warns about a missing secret when the app starts, without a request", () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const warn = vi.fn()
    NextAuth({ providers: [], logger: { warn } })
    vi.advanceTimersByTime(2_000)
    expect(warn.mock.calls).toEqual([["secret-missing"]])
  })
})

describe("handlers", () => {
  it("HOST-05: rejects an invalid host with 400 and logs it", async () => {
    const errors: string[] = []
    const { app, browser } = open({ logger: { error: ({ name }) => void errors.push(name) } })
    const headers = { "x-forwarded-host": "app.test, evil.test" }
    const answer = await app.handlers.GET(browser.request("/api/auth/session", { headers }))
    expect([answer.status, await answer.json(), errors]).toEqual([400, "Bad request.", ["UntrustedHost"]])
  })

  it("HOST-01: builds no URL with an untrusted host", async () => {
    const { app, browser } = open({ trustHost: false })
    const answer = await app.handlers.GET(browser.request("/api/auth/providers"))
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain("app.test")
  })

  it("name in the log how to trust the host, and no proxy setting, because Next has none", async () => {
    const messages: string[] = []
    const { app, browser } = open({ trustHost: false, logger: { error: ({ message }) => void messages.push(message) } })
    await app.handlers.GET(browser.request("/api/auth/session"))
    expect(messages).toEqual([
      expect.stringMatching(/^trustHost: .* Set AUTH_URL .*set trustHost: true \(or AUTH_TRUST_HOST=true\) instead\. /),
    ])
    expect(messages.join()).not.toContain("make the framework trust")
  })

  it("build URLs with the public host, not with Next's", async () => {
    const { app, browser } = open()
    const answer = await app.handlers.GET(browser.request("/api/auth/providers"))
    const { credentials } = await answer.json()
    expect(credentials.signinUrl).toBe("https://app.test/api/auth/signin/credentials")
  })

  it("accept the slash that Next's trailingSlash option adds", async () => {
    const { app, browser } = open()
    const answer = await app.handlers.GET(browser.request("/api/auth/session/"))
    expect([answer.status, await answer.json()]).toEqual([200, null])
  })

  it("names what to change when the handler of the pages router runs on the edge", async () => {
    const { request } = createTestBrowser()
    const sent = createPagesHandler(testConfig())(request("/api/auth/session") as never, {} as never)
    await expect(sent).rejects.toThrow('Remove `runtime: "edge"` from the API route')
  })

  describe("after a failure", () => {
    async function openErrorPage(forwarded: string, mode = "development"): Promise<string> {
      vi.stubEnv("NODE_ENV", mode)
      onTestFinished(() => void vi.unstubAllEnvs())
      const provider = { id: "idp", name: "Identity", type: "oidc", clientId: "rp", clientSecret: "s" } as const
      const { app, browser } = open({ providers: [{ ...provider, issuer: "http://127.0.0.1:1" }] })
      const own = { "x-forwarded-host": "localhost:3000", "x-forwarded-proto": "http", "x-forwarded-for": forwarded }
      const headers = { ...own, origin: "http://localhost:3000" }
      const url = await browser.inRequest(() => app.signIn("idp", { redirect: false }), headers)
      const page = await app.handlers.GET(browser.request(url, { headers: own }))
      return await page.text()
    }

    it.each(["127.0.0.1", "::1", "::ffff:127.0.0.1"])("show the cause to a developer at %s", async (address) => {
      expect(await openErrorPage(address)).toContain("OAuthSignInError")
    })

    it.each([
      ["203.0.113.9", "development"],
      ["127.0.0.1, 203.0.113.9", "development"],
      ["127.0.0.1", "production"],
    ])("show no cause to %s in %s", async (address, mode) => {
      expect(await openErrorPage(address, mode)).not.toContain("OAuthSignInError")
    })
  })

  it("pass the request to a configuration function", async () => {
    const tenants = { "app.test": testConfig({ basePath: "/api/auth" }) }
    const app = NextAuth((request) => {
      expect(request?.headers.get("x-forwarded-host")).toBe("app.test")
      return tenants["app.test"]
    })
    expect((await app.handlers.GET(createTestBrowser().request("/api/auth/csrf"))).status).toBe(200)
  })

  it.each([
    ["RATE-02: count all clients together without trusted proxies", undefined, [false, false, false, false, false]],
    [
      "RATE-03: count clients by the address that a trusted proxy forwards",
      ["10.0.0.0/8"],
      [false, false, false, true, true],
    ],
  ])("%s", async (_, trustedProxies, expected) => {
    const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const
    const { app, browser } = open({
      providers: [oidc],
      secret: `a secret of this test alone: ${crypto.randomUUID()}`,
      rateLimit: { budgets: { callback: { limit: 3, windowSeconds: 60 } } },
      ...(trustedProxies && { trustedProxies }),
    })
    const refused = []
    for (let index = 0; index < 5; index++) {
      const headers = { "x-forwarded-for": `6.6.6.${index}, 1.2.3.4, 10.1.1.1` }
      const answer = await app.handlers.GET(browser.request("/api/auth/callback/oidc?code=c", { headers }))
      refused.push(answer.status === 429)
    }
    expect(refused).toEqual(expected)
  })
})

describe("auth around a route handler", () => {
  const route = { params: Promise.resolve({ id: "7" }) }

  it("passes it the session and Next's own arguments", async () => {
    const { app, browser } = open()
    const GET = app.auth(async (request, { params }: typeof route) =>
      Response.json([request.auth?.user?.name ?? null, (await params).id]),
    )
    const ask = async () => (await browser.inRequest(() => GET(browser.request("/api/items/7"), route))).json()
    expect(await ask()).toEqual([null, "7"])
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    expect(await ask()).toEqual(["Ada Lovelace", "7"])
  })

  it("renews the session, and lets the handler override the cookie", async () => {
    const { app, browser } = open()
    await browser.inRequest(() => app.signIn("credentials", { ...right, redirect: false }))
    const first = browser.jar.get(sessionCookie)
    const GET = app.auth(() => new Response("seen"))
    await browser.inRequest(async () => GET(browser.request("/api/x"), route))
    expect(browser.jar.get(sessionCookie)).toMatch(/^ey/)
    expect(browser.jar.get(sessionCookie)).not.toBe(first)
    const POST = app.auth(async () => {
      await app.signOut({ redirect: false })
      return new Response("gone")
    })
    await browser.inRequest(async () => POST(browser.request("/api/x", { method: "POST" }), route))
    expect(browser.jar.has(sessionCookie)).toBe(false)
  })

  it("does not call authorized, which only guards the proxy", async () => {
    const { app, browser } = open({ callbacks: { authorized: () => false } })
    const GET = app.auth((request) => new Response(request.auth ? "in" : "out"))
    const answer = await browser.inRequest(async () => GET(browser.request("/api/x"), route))
    expect(await answer.text()).toBe("out")
  })
})
