import { afterEach, describe, expect, it, vi } from "vitest"
import { ElysiaAuth } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { ask, createApp, type Servable, serve, visit } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Signs in and out, and checks the session at each step. */
async function expectSignInToWork(app: Servable, basePath = "/auth"): Promise<void> {
  const browser = await visit(app, basePath)
  expect(await browser.session()).toBeNull()
  const refused = await browser.signIn("credentials", { username: "ada", password: "wrong" })
  expect(refused.url.searchParams.get("error")).toBe("CredentialsSignin")
  await browser.signIn("credentials", right)
  expect(await browser.session()).toMatchObject({ user: ada })
  const providers = await (await browser.fetch(`${basePath}/providers`)).json()
  expect(providers.credentials.callbackUrl).toBe(`${browser.origin}${basePath}/callback/credentials`)
  await browser.signOut()
  expect(await browser.session()).toBeNull()
}

describe("ElysiaAuth", () => {
  it("answers below /auth, basePath, or prefix", async () => {
    await expectSignInToWork(createApp().use(ElysiaAuth(testConfig())))
    await expectSignInToWork(createApp().use(ElysiaAuth(testConfig({ basePath: "/account/" }))), "/account")
    await expectSignInToWork(createApp().use(ElysiaAuth(testConfig(), { prefix: "/api/auth/" })), "/api/auth")
    await expectSignInToWork(createApp().use(ElysiaAuth(async () => testConfig())))
  })

  it("leaves other paths to the app", async () => {
    const origin = await serve(
      createApp()
        .use(ElysiaAuth(testConfig()))
        .get("/*", ({ path }) => `app: ${path}`),
    )
    for (const path of ["/", "/authsession", "/AUTH/session", "/other/auth/session"]) {
      expect((await ask(origin, path)).body).toBe(`app: ${path}`)
    }
  })

  it("leaves the public path to the app where a proxy cuts off its beginning", async () => {
    const plugin = ElysiaAuth(testConfig({ basePath: "/shop/auth" }), { prefix: "/auth" })
    const origin = await serve(
      createApp()
        .use(plugin)
        .get("/*", ({ path }) => `app: ${path}`),
    )
    expect((await ask(origin, "/shop/auth/session")).body).toBe("app: /shop/auth/session")
    const { credentials } = JSON.parse((await ask(origin, "/auth/providers")).body)
    expect(new URL(credentials.callbackUrl).pathname).toBe("/shop/auth/callback/credentials")
  })

  it("URL-21: rejects unknown actions", async () => {
    const origin = await serve(createApp().use(ElysiaAuth(testConfig())))
    for (const path of ["/auth/nothing", "/auth/session/more", "/auth/%73ession", "/auth/session;x"]) {
      expect([path, (await ask(origin, path)).status]).toEqual([path, 400])
    }
  })

  it("answers a target in absolute form, under the host of the Host header", async () => {
    const origin = await serve(createApp().use(ElysiaAuth(testConfig())))
    const { status, body } = await ask(origin, "http://evil.test/auth/providers", { host: "app.test" })
    expect([status, body.includes("evil.test"), body.includes("http://app.test/")]).toEqual([200, false, true])
  })

  it("keeps cookies and headers of earlier hooks", async () => {
    const app = createApp().onRequest(({ set }) => {
      set.headers["x-early"] = "1"
      set.headers["set-cookie"] = "early=1"
    })
    const response = await fetch(`${await serve(app.use(ElysiaAuth(testConfig())))}/auth/csrf`)
    expect(response.headers.getSetCookie().map((line) => line.split("=", 1)[0])).toEqual(["authjs.csrf-token", "early"])
    expect(response.headers.get("x-early")).toBe("1")
  })

  it("passes errors of the host's function to the app", async () => {
    const app = createApp()
      .onError(({ error }) => (error instanceof Error ? error.name : "unknown"))
      .use(ElysiaAuth(() => Promise.reject(new TypeError("no tenant"))))
    expect((await ask(await serve(app), "/auth/session")).body).toBe("TypeError")
  })

  it("passes each request to the configuration function", async () => {
    const configs = { a: testConfig(), b: testConfig({ providers: [] }) }
    const plugin = ElysiaAuth(({ headers }) => configs[headers.get("x-tenant") === "b" ? "b" : "a"])
    const origin = await serve(createApp().use(plugin))
    const ids = async (tenant: string) =>
      Object.keys(JSON.parse((await ask(origin, "/auth/providers", { "x-tenant": tenant })).body))
    const both = ["credentials", "email"]
    expect(await Promise.all([ids("a"), ids("b"), ids("a")])).toEqual([both, [], both])
  })

  it("completes the configuration from the environment", async () => {
    vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
    vi.stubEnv("AUTH_URL", "https://public.test/gate")
    const { secret: _, trustHost: __, ...config } = testConfig()
    const origin = await serve(createApp().use(ElysiaAuth(config)))
    const { credentials } = JSON.parse((await ask(origin, "/gate/providers")).body)
    expect(credentials.callbackUrl).toBe("https://public.test/gate/callback/credentials")
  })
})
