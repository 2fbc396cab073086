import type { FastifyServerOptions } from "fastify"
import { afterEach, describe, expect, it, vi } from "vitest"
import { testConfig } from "./config.js"
import { callbackUrl, createApp, serve, statusOf } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe("the origin", () => {
  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }

  it("HOST-02: ignores forwarded headers unless the app trusts its proxy", async () => {
    expect(await callbackUrl(await createApp(), "/auth/providers", forwarded)).toBe(
      "http://app.test/auth/callback/credentials",
    )
  })

  it("HOST-02: ignores forwarded headers of a client that bypasses the proxy", async () => {
    const app = await createApp(testConfig(), { trustProxy: "10.0.0.1" })
    expect(await callbackUrl(app, "/auth/providers", forwarded)).toBe("http://app.test/auth/callback/credentials")
  })

  it("follows forwarded headers, including the port, if the app trusts its proxy", async () => {
    const app = await createApp(testConfig(), { trustProxy: "127.0.0.1" })
    expect(await callbackUrl(app, "/auth/providers", forwarded)).toBe(
      "https://public.test:8443/auth/callback/credentials",
    )
    expect(await callbackUrl(app, "/auth/providers")).toBe("http://app.test/auth/callback/credentials")
  })

  it("names the option in the log if it is missing", async () => {
    const error = vi.fn()
    const app = await createApp(testConfig({ logger: { error } }))
    const headers = {
      host: "app.test",
      origin: "https://app.test",
      "content-type": "application/x-www-form-urlencoded",
    }
    await app.inject({ url: "/auth/callback/credentials", method: "POST", headers, payload: "csrfToken=x" })
    expect(error.mock.calls[0]?.[0].message).toContain("write createFastify({ trustProxy:")
  })

  it("HOST-02: is the origin of AUTH_URL, regardless of the request", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test")
    const app = await createApp(testConfig(), { trustProxy: true })
    expect(await callbackUrl(app, "/auth/providers", forwarded)).toBe("https://public.test/auth/callback/credentials")
  })

  it.each([
    [{ host: "user@evil.test" }, false],
    [{ host: "app.test evil.test" }, false],
    [{ "x-forwarded-host": "user@evil.test/x?" }, true],
    [{ "x-forwarded-host": "[::1" }, true],
    [{ "x-forwarded-proto": "javascript" }, true],
  ])("HOST-04, HOST-05: answers %j with 400 and logs it", async (headers, trustProxy) => {
    const error = vi.fn()
    const app = await createApp(testConfig({ logger: { error } }), { trustProxy })
    expect(await statusOf(await serve(app), "/auth/session", headers)).toBe(400)
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
  })

  it("HOST-03: rejects requests to an origin that is not allowed", async () => {
    const app = await createApp(testConfig({ allowedOrigins: ["http://app.test"] }))
    const ask = async (host: string) => (await app.inject({ url: "/auth/session", headers: { host } })).statusCode
    expect([await ask("app.test"), await ask("evil.test")]).toEqual([200, 400])
  })
})

describe("the client address", () => {
  const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

  type TrustProxy = NonNullable<FastifyServerOptions["trustProxy"]>

  async function start(trustProxy: TrustProxy, changes: object = {}, peer?: string) {
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const app = await createApp(testConfig({ secret, rateLimit, providers: [oidc], ...changes }), { trustProxy })
    app.server.on("connection", (socket) => {
      if (peer) Object.defineProperty(socket, "remoteAddress", { value: peer })
    })
    const origin = await serve(app)
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
    expect(await (await start(false))(() => undefined)).toEqual(limited)
  })

  it("RATE-03: follows the app's trustProxy option", async () => {
    for (const trust of ["127.0.0.1", ["127.0.0.1", "::1"], (_: string, hop: number) => hop === 0]) {
      const ask = await start(trust)
      expect(await ask((index) => `6.6.6.${index}, 1.2.3.4`)).toEqual(limited)
      expect(await ask((index) => `1.2.4.${index}`)).toEqual(open)
    }
  })

  const direct: readonly TrustProxy[] = [(_: string, hop: number) => hop < 1, () => true, "0.0.0.0/1, 128.0.0.0/1"]

  it.each(direct)(
    "RATE-03: is the socket's for a client that reaches the server directly, with trustProxy %s",
    async (trustProxy) => {
      const ask = await start(trustProxy, {}, "203.0.113.9")
      expect(await ask((index) => `6.6.6.${index}`)).toEqual(limited)
    },
  )

  it("RATE-03: is the forwarded one behind a public proxy that the app names", async () => {
    const ask = await start("203.0.113.0/24", {}, "203.0.113.9")
    expect(await ask((index) => `6.6.6.${index}`)).toEqual(open)
    expect(await ask((index) => `6.6.7.${index}, 1.2.3.4`)).toEqual(limited)
  })

  it("RATE-02: is unknown with trustProxy: true, so that no forged header is believed", async () => {
    const ask = await start(true)
    expect(await ask(() => "6.6.6.6")).toEqual(open)
  })

  it("RATE-03: follows trustedProxies rather than the app's trustProxy option", async () => {
    const ask = await start(true, { trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"] })
    expect(await ask((index) => `6.6.6.${index}, 1.2.3.4, 10.0.0.1`)).toEqual(limited)
  })
})
