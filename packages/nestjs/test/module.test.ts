import { afterEach, describe, expect, it, vi } from "vitest"
import { AuthModule, type NestAuthOptions } from "../src/index.js"
import { ask, createApp, platforms, type Route, serve, visit } from "./app.js"
import { ada, right, testConfig } from "./config.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

describe.each(platforms)("AuthModule in $name", ({ createAdapter, wildcard }) => {
  const showPath: Route = { path: wildcard, handle: () => "the app" }
  const createTestApp = (config: Parameters<typeof AuthModule.forRoot>[0], options: NestAuthOptions = {}) =>
    createApp(createAdapter(), { auth: AuthModule.forRoot(config, options), routes: [showPath] })

  async function callbackUrl(options: NestAuthOptions, headers: Record<string, string> = {}): Promise<string> {
    const origin = await serve(await createTestApp(testConfig(), options))
    const { body } = await ask(origin, "/auth/providers", { host: "app.test", ...headers })
    return JSON.parse(body).credentials.callbackUrl
  }

  it("leaves other paths to the app", async () => {
    const origin = await serve(await createTestApp(testConfig()))
    for (const path of ["/authsession", "/AUTH/session", "/other/auth/session"]) {
      expect((await ask(origin, path)).body).toBe("the app")
    }
  })

  it("URL-21: rejects unknown actions and ambiguous paths", async () => {
    const origin = await serve(await createTestApp(testConfig()))
    const paths = ["nothing", "session/more", "%73ession", "session;x", "./session", "x/../session"]
    for (const path of paths) expect([path, (await ask(origin, `/auth/${path}`)).status]).toEqual([path, 400])
  })

  it("answers a target in absolute form", async () => {
    const origin = await serve(await createTestApp(testConfig()))
    expect(await ask(origin, "http://evil.test/auth/session")).toMatchObject({ status: 200, body: "null" })
  })

  it("signs in with JSON that Nest has parsed", async () => {
    const browser = await visit(await createTestApp(testConfig()))
    await browser.fetch("/auth/callback/credentials", { json: { ...right, csrfToken: await browser.csrfToken() } })
    expect(await browser.session()).toMatchObject({ user: ada })
  })

  it("passes errors of the host's function to Nest", async () => {
    const origin = await serve(await createTestApp(() => Promise.reject(new TypeError("no tenant"))))
    expect((await ask(origin, "/auth/session")).status).toBe(500)
  })

  it("passes each request to the configuration function", async () => {
    const configs = { a: testConfig(), b: testConfig({ providers: [] }) }
    const origin = await serve(await createTestApp(({ headers }) => configs[headers["x-tenant"] === "b" ? "b" : "a"]))
    const ids = async (tenant: string) =>
      Object.keys(JSON.parse((await ask(origin, "/auth/providers", { "x-tenant": tenant })).body))
    const both = ["credentials", "email"]
    expect(await Promise.all([ids("a"), ids("b"), ids("a")])).toEqual([both, [], both])
  })

  it("takes the configuration from other providers", async () => {
    class Tenant {
      readonly basePath = "/gate"
    }
    const auth = AuthModule.forRootAsync({
      imports: [{ module: class TenantModule {}, providers: [Tenant], exports: [Tenant] }],
      inject: [Tenant],
      useFactory: ({ basePath }: Tenant) => testConfig({ basePath }),
    })
    const origin = await serve(await createApp(createAdapter(), { auth }))
    expect(await ask(origin, "/gate/session")).toMatchObject({ status: 200, body: "null" })
  })

  it("completes the configuration from the environment", async () => {
    vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
    vi.stubEnv("AUTH_URL", "https://public.test/gate")
    const { secret: _, trustHost: __, ...config } = testConfig()
    const origin = await serve(await createTestApp(config))
    const { credentials } = JSON.parse((await ask(origin, "/gate/providers")).body)
    expect(credentials.callbackUrl).toBe("https://public.test/gate/callback/credentials")
  })

  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }

  it("HOST-02: ignores forwarded headers unless the app trusts its proxy", async () => {
    expect(await callbackUrl({}, forwarded)).toBe("http://app.test/auth/callback/credentials")
  })

  it("follows forwarded headers, including the port, if the app trusts its proxy", async () => {
    const trusting = { trustProxy: true }
    expect(await callbackUrl(trusting, forwarded)).toBe("https://public.test:8443/auth/callback/credentials")
    expect(await callbackUrl(trusting)).toBe("http://app.test/auth/callback/credentials")
  })

  it.each([
    [{ host: "user@evil.test" }, false],
    [{ host: "app.test evil.test" }, false],
    [{ "x-forwarded-host": "user@evil.test/x?" }, true],
    [{ "x-forwarded-host": "evil.test, app.test" }, true],
    [{ "x-forwarded-proto": "javascript" }, true],
  ])("HOST-04, HOST-05: answers %j with 400 and logs it", async (headers: Record<string, string>, trustProxy) => {
    const error = vi.fn()
    const origin = await serve(await createTestApp(testConfig({ logger: { error } }), { trustProxy }))
    expect((await ask(origin, "/auth/session", headers)).status).toBe(400)
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
  })

  it("HOST-03: rejects requests to an origin that is not allowed", async () => {
    const origin = await serve(await createTestApp(testConfig({ allowedOrigins: ["http://app.test"] })))
    const statusOf = async (host: string) => (await ask(origin, "/auth/session", { host })).status
    expect([await statusOf("app.test"), await statusOf("evil.test")]).toEqual([200, 400])
  })

  async function refusals(changes: object, forwarded: (index: number) => string): Promise<readonly boolean[]> {
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const config = testConfig({ secret, rateLimit, providers: [oidc], ...changes })
    const origin = await serve(await createTestApp(config, { trustProxy: true }))
    const refused = []
    for (let index = 0; index < 5; index++) {
      const headers = { "x-forwarded-for": forwarded(index) }
      refused.push((await ask(origin, "/auth/callback/oidc?code=c", headers)).status === 429)
    }
    return refused
  }

  it("RATE-03: takes the client address from trusted proxies", async () => {
    const trusted = { trustedProxies: ["127.0.0.1", "::1"] }
    expect(await refusals(trusted, (index) => `6.6.6.${index}, 1.2.3.4`)).toEqual([false, false, false, true, true])
    expect(await refusals(trusted, (index) => `1.2.4.${index}`)).toEqual([false, false, false, false, false])
  })

  it("RATE-02: believes no forged header", async () => {
    expect(await refusals({}, () => "6.6.6.6")).toEqual([false, false, false, false, false])
  })
})
