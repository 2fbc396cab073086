import createFastify, { type FastifyInstance } from "fastify"
import { afterEach, describe, expect, it, vi } from "vitest"
import { type AuthPluginOptions, authPlugin } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { callbackUrl, createApp, serve, statusOf, visit } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Signs in and out, and checks the session at each step. */
async function expectSignInToWork(app: FastifyInstance, basePath = "/auth"): Promise<void> {
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

describe("authPlugin", () => {
  it.each<[string, string, AuthPluginOptions]>([
    ["/auth", "by default", testConfig()],
    ["/account", "with a basePath", testConfig({ basePath: "/account/" })],
    ["/caf%C3%A9/auth", "with a basePath of other letters", testConfig({ basePath: "/caf\u00E9/auth" })],
    ["/caf%C3%A9/auth", "with a prefix of other letters", { ...testConfig(), prefix: "/caf\u00E9/auth" }],
    ["/auth:v1", "with a basePath that has a colon", testConfig({ basePath: "/auth:v1" })],
    ["/api/auth", "with a prefix", { ...testConfig(), prefix: "/api/auth" }],
    ["/acme/auth", "below a parameter", { ...testConfig(), prefix: "/:tenant/auth" }],
    ["/auth", "with a function", { config: () => testConfig() }],
    ["/login", "with a function and a prefix", { config: async () => testConfig(), prefix: "login" }],
  ])("answers below %s %s", async (basePath, _, options) => {
    await expectSignInToWork(await createApp(options), basePath)
  })

  it.each([undefined, "/api/auth"])(
    "answers below the prefix of the surrounding scope (basePath %s)",
    async (basePath) => {
      const app = createFastify()
      await app.register(
        async (scope) => void (await scope.register(authPlugin, testConfig(basePath ? { basePath } : {}))),
        {
          prefix: "/api",
        },
      )
      await expectSignInToWork(app, "/api/auth")
    },
  )

  it("leaves other paths to the app", async () => {
    const app = await createApp()
    app.all("/*", async (request) => `app: ${request.url}`)
    for (const url of ["/", "/authsession", "/AUTH/session", "/other/auth/session"]) {
      expect((await app.inject(url)).body).toBe(`app: ${url}`)
    }
  })

  it("URL-22: treats the base path as text, not as a pattern", async () => {
    const app = await createApp(testConfig({ basePath: "/auth:v1" }))
    expect((await app.inject("/authority/session")).statusCode).toBe(404)
  })

  it("names a base path with a percent sign that encodes nothing, which Fastify cannot route", async () => {
    await expect(createApp(testConfig({ basePath: "/100%/auth" }))).rejects.toThrow('basePath: "/100%/auth" has a %')
  })

  it("URL-21: rejects unknown actions and ambiguous paths", async () => {
    const origin = await serve(await createApp())
    for (const path of ["/auth/nothing", "/auth/session/more", "/auth/%73ession", "/auth/session;x"]) {
      expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 400])
    }
    expect(await statusOf(origin, "/auth/./session", {})).toBe(400)
    expect(await statusOf(origin, "/auth/x/../session", {})).toBe(400)
  })

  it.each(["http://app.test", "http://[::1]:3000"])("answers the absolute target %s/auth/session", async (start) => {
    const origin = await serve(await createApp())
    expect(await statusOf(origin, `${start}/auth/session`, {})).toBe(200)
    expect(await statusOf(origin, `${start}/auth/session?x=/`, {})).toBe(200)
    expect(await statusOf(origin, "http://user@app.test/auth/session", {})).toBe(400)
  })

  it("keeps the parsers of the app", async () => {
    const app = await createApp()
    app.post("/echo", async (request) => request.body)
    const json = await app.inject({ method: "POST", url: "/echo", payload: { a: 1 } })
    expect(json.json()).toEqual({ a: 1 })
    const form = { "content-type": "application/x-www-form-urlencoded" }
    expect((await app.inject({ method: "POST", url: "/echo", payload: "a=1", headers: form })).statusCode).toBe(415)
  })

  it("accepts JSON", async () => {
    const browser = await visit(await createApp())
    await browser.fetch("/auth/callback/credentials", { json: { ...right, csrfToken: await browser.csrfToken() } })
    expect(await browser.session()).toMatchObject({ user: ada })
  })

  it("keeps the cookies set before its own, each in a header of its own", async () => {
    const app = await createApp()
    app.addHook(
      "onRequest",
      async (_request, reply) => void reply.header("set-cookie", "early=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT"),
    )
    const response = await app.inject({ url: "/auth/csrf" })
    expect(response.cookies.map(({ name }) => name)).toEqual(["early", "authjs.csrf-token"])
  })

  it("passes errors of the host's function to the app", async () => {
    const app = createFastify()
    app.setErrorHandler<Error>((error, _request, reply) => reply.code(503).send(error.name))
    await app.register(authPlugin, { config: () => Promise.reject(new TypeError("no tenant")) })
    const response = await app.inject("/auth/session")
    expect([response.statusCode, response.body]).toEqual([503, "TypeError"])
  })

  it("passes each request to the configuration function", async () => {
    const configs = { a: testConfig(), b: testConfig({ providers: [] }) }
    const app = await createApp({ config: ({ headers }) => configs[headers["x-tenant"] === "b" ? "b" : "a"] })
    const ids = async (tenant: string) =>
      Object.keys((await app.inject({ url: "/auth/providers", headers: { "x-tenant": tenant } })).json())
    const both = ["credentials", "email"]
    expect(await Promise.all([ids("a"), ids("b"), ids("a")])).toEqual([both, [], both])
  })

  it("completes the configuration from the environment", async () => {
    vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
    vi.stubEnv("AUTH_URL", "https://public.test/gate")
    const { secret: _, trustHost: __, ...config } = testConfig()
    const app = await createApp(config)
    expect(await callbackUrl(app, "/gate/providers")).toBe("https://public.test/gate/callback/credentials")
  })

  it("uses the longer path of AUTH_URL if it ends with the mount path", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test/shop/auth")
    const app = await createApp({ ...testConfig(), prefix: "/auth" })
    expect(await callbackUrl(app, "/auth/providers")).toBe("https://public.test/shop/auth/callback/credentials")
  })
})
