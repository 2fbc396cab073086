import { afterEach, describe, expect, it, vi } from "vitest"
import { KoaAuth } from "../src/index.js"
import { testConfig } from "./config.js"
import { koas } from "./koas.js"
import { ask, serve } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each(koas)("the origin in $name", ({ Koa }) => {
  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }
  const here = { host: "app.test" }

  async function callbackUrl(proxy: boolean, headers: Record<string, string> = {}): Promise<string> {
    const app = new Koa({ proxy }).use(KoaAuth(testConfig()))
    const { body } = await ask(await serve(app), "/auth/providers", { ...here, ...headers })
    return JSON.parse(body).credentials.callbackUrl
  }

  it("HOST-02: ignores forwarded headers unless the app trusts its proxy", async () => {
    expect(await callbackUrl(false, forwarded)).toBe("http://app.test/auth/callback/credentials")
  })

  it("follows forwarded headers, including the port, if the app trusts its proxy", async () => {
    expect(await callbackUrl(true, forwarded)).toBe("https://public.test:8443/auth/callback/credentials")
    expect(await callbackUrl(true)).toBe("http://app.test/auth/callback/credentials")
  })

  it("HOST-02: is the origin of AUTH_URL, regardless of the request", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test")
    expect(await callbackUrl(true, forwarded)).toBe("https://public.test/auth/callback/credentials")
  })

  it.each([
    [{ host: "user@evil.test" }, false],
    [{ host: "app.test evil.test" }, false],
    [{ "x-forwarded-host": "user@evil.test/x?" }, true],
    [{ "x-forwarded-host": "[::1" }, true],
    [{ "x-forwarded-host": "evil.test, app.test" }, true],
    [{ "x-forwarded-proto": "javascript" }, true],
  ])("HOST-04, HOST-05: answers %j with 400 and logs it", async (headers: Record<string, string>, proxy) => {
    const error = vi.fn()
    const app = new Koa({ proxy }).use(KoaAuth(testConfig({ logger: { error } })))
    expect((await ask(await serve(app), "/auth/session", headers)).status).toBe(400)
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
  })

  it("HOST-03: rejects requests to an origin that is not allowed", async () => {
    const origin = await serve(new Koa().use(KoaAuth(testConfig({ allowedOrigins: ["http://app.test"] }))))
    const statusOf = async (host: string) => (await ask(origin, "/auth/session", { host })).status
    expect([await statusOf("app.test"), await statusOf("evil.test")]).toEqual([200, 400])
  })

  it("sets secure cookies for the app's own session behind a trusted proxy", async () => {
    const config = testConfig()
    const app = new Koa({ proxy: true }).use(KoaAuth(config)).use(async (ctx) => {
      await ctx.auth.signIn({ providerId: "credentials", fields: { username: "ada", password: "correct horse" } })
      ctx.body = "done"
    })
    const headers = { ...forwarded, origin: "https://public.test:8443" }
    const response = await fetch(`${await serve(app)}/login`, { method: "POST", headers })
    expect(response.headers.getSetCookie().join()).toMatch(/__Secure-authjs\.session-token=.*; Secure/)
  })
})

describe.each(koas)("the client address in $name", ({ Koa }) => {
  const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

  async function start(options: ConstructorParameters<typeof Koa>[0], changes: object = {}, peer?: string) {
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const app = new Koa(options).use(async ({ req }, next) => {
      if (peer) Object.defineProperty(req.socket, "remoteAddress", { value: peer, configurable: true })
      await next()
    })
    const origin = await serve(app.use(KoaAuth(testConfig({ secret, rateLimit, providers: [oidc], ...changes }))))
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
    expect(await (await start({}))(() => undefined)).toEqual(limited)
  })

  it("RATE-03: is the address that the counted proxy added", async () => {
    const visit = await start({ proxy: true, maxIpsCount: 1 })
    expect(await visit((index) => `6.6.6.${index}, 1.2.3.4`)).toEqual(limited)
    expect(await visit((index) => `1.2.4.${index}`)).toEqual(open)
  })

  it("RATE-03: is the socket's for a client that reaches the server directly", async () => {
    const visit = await start({ proxy: true, maxIpsCount: 1 }, {}, "203.0.113.9")
    expect(await visit((index) => `6.6.6.${index}`)).toEqual(limited)
  })

  it("RATE-02: is unknown without maxIpsCount, so that no forged header is believed", async () => {
    const visit = await start({ proxy: true })
    expect(await visit(() => "6.6.6.6")).toEqual(open)
  })

  it("RATE-03: follows trustedProxies rather than the app's settings", async () => {
    const visit = await start({ proxy: true }, { trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"] })
    expect(await visit((index) => `6.6.6.${index}, 1.2.3.4, 10.0.0.1`)).toEqual(limited)
  })
})
