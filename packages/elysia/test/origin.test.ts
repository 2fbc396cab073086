import { afterEach, describe, expect, it, vi } from "vitest"
import { ElysiaAuth, type ElysiaAuthOptions } from "../src/index.js"
import { right, testConfig } from "./config.js"
import { ask, createApp, serve } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("the origin", () => {
  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }

  async function callbackUrl(options: ElysiaAuthOptions, headers: Record<string, string> = {}): Promise<string> {
    const origin = await serve(createApp().use(ElysiaAuth(testConfig(), options)))
    const { body } = await ask(origin, "/auth/providers", { host: "app.test", ...headers })
    return JSON.parse(body).credentials.callbackUrl
  }

  it("HOST-02: ignores forwarded headers unless the app trusts its proxy", async () => {
    expect(await callbackUrl({}, forwarded)).toBe("http://app.test/auth/callback/credentials")
  })

  it("follows forwarded headers, including the port, if the app trusts its proxy", async () => {
    const trusting = { trustProxy: true }
    expect(await callbackUrl(trusting, forwarded)).toBe("https://public.test:8443/auth/callback/credentials")
    expect(await callbackUrl(trusting, { ...forwarded, host: "internal.test:80" })).toContain(
      "https://public.test:8443",
    )
    expect(await callbackUrl(trusting)).toBe("http://app.test/auth/callback/credentials")
  })

  it("HOST-02: is the origin of AUTH_URL, regardless of the request", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test")
    const url = await callbackUrl({ trustProxy: true }, forwarded)
    expect(url).toBe("https://public.test/auth/callback/credentials")
  })

  it.each([
    [{ host: "user@evil.test" }, false],
    [{ host: "app.test evil.test" }, false],
    [{ "x-forwarded-host": "user@evil.test/x?" }, true],
    [{ "x-forwarded-host": "[::1" }, true],
    [{ "x-forwarded-host": "evil.test, app.test" }, true],
    [{ "x-forwarded-proto": "javascript" }, true],
  ])("HOST-04, HOST-05: answers %j with 400 and logs it", async (headers: Record<string, string>, trustProxy) => {
    const error = vi.fn()
    const app = createApp().use(ElysiaAuth(testConfig({ logger: { error } }), { trustProxy }))
    expect((await ask(await serve(app), "/auth/session", headers)).status).toBe(400)
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
  })

  it("HOST-03: rejects requests to an origin that is not allowed", async () => {
    const origin = await serve(createApp().use(ElysiaAuth(testConfig({ allowedOrigins: ["http://app.test"] }))))
    const statusOf = async (host: string) => (await ask(origin, "/auth/session", { host })).status
    expect([await statusOf("app.test"), await statusOf("evil.test")]).toEqual([200, 400])
  })

  it("sets secure cookies for the app's own session behind a trusted proxy", async () => {
    const app = createApp()
      .use(ElysiaAuth(testConfig(), { trustProxy: true }))
      .post("/login", async ({ auth }) => auth.signIn({ providerId: "credentials", fields: right }))
    const headers = { ...forwarded, origin: "https://public.test:8443" }
    const response = await fetch(`${await serve(app)}/login`, { method: "POST", headers })
    expect(response.headers.getSetCookie().join()).toMatch(/__Secure-authjs\.session-token=.*; Secure/)
  })
})

describe("the client address", () => {
  const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

  async function start(changes: object = {}) {
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const plugin = ElysiaAuth(testConfig({ secret, rateLimit, providers: [oidc], ...changes }), { trustProxy: true })
    const origin = await serve(createApp().use(plugin))
    return async (forwarded: (index: number) => string | undefined) => {
      const refused = []
      for (let index = 0; index < 5; index++) {
        const value = forwarded(index)
        const headers = value === undefined ? {} : { "x-forwarded-for": value }
        const response = await fetch(`${origin}/auth/callback/oidc?code=c`, { headers, redirect: "manual" })
        refused.push(response.status === 429)
        await response.text()
      }
      return refused
    }
  }

  const limited = [false, false, false, true, true]
  const open = [false, false, false, false, false]

  it("RATE-01: is the address of the socket", async () => {
    expect(await (await start())(() => undefined)).toEqual(limited)
  })

  it("RATE-03: follows trustedProxies", async () => {
    const visit = await start({ trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"] })
    expect(await visit((index) => `6.6.6.${index}, 1.2.3.4, 10.0.0.1`)).toEqual(limited)
    expect(await visit((index) => `1.2.4.${index}`)).toEqual(open)
  })
})
