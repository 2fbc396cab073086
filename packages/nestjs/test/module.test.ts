import { testOrigin } from "@latchkey/testkit/integration"
import { afterEach, describe, expect, it, vi } from "vitest"
import { AuthModule, type NestAuthOptions } from "../src/index.js"
import { ask, createApp, platforms, type Route, serve, visit } from "./app.js"
import { ada, right, testConfig } from "./config.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.each(platforms)("AuthModule in $name", ({ createAdapter, wildcard }) => {
  const showPath: Route = { path: wildcard, handle: () => "the app" }
  const createTestApp = (config: Parameters<typeof AuthModule.forRoot>[0], options: NestAuthOptions = {}) =>
    createApp(createAdapter(), { auth: AuthModule.forRoot(config, options), routes: [showPath] })

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

  testOrigin({ start: async (config, trustProxy) => serve(await createTestApp(config, { trustProxy })) })
})
