import { request as sendRequest } from "node:http"
import createFastify, { type FastifyInstance, type FastifyServerOptions } from "fastify"
import { afterEach, describe, expect, it, vi } from "vitest"
import { type AuthPluginOptions, authPlugin, getSession } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { right, serve, visit } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** An app with the plugin, not yet listening. */
async function createApp(options: AuthPluginOptions = testConfig(), server: FastifyServerOptions = {}) {
  const app = createFastify(server)
  await app.register(authPlugin, options)
  return app
}

/** Signs in and out again, and looks at the session at each step. */
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

/** Status of a request whose headers or path no `fetch` would send. */
function statusOf(origin: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = sendRequest({ hostname, port, path, headers }, (answer) => resolve(answer.resume().statusCode))
    sent.on("error", reject).end()
  })
}

async function callbackUrl(app: FastifyInstance, path: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await app.inject({ url: path, headers: { host: "app.test", ...headers } })
  return response.json().credentials.callbackUrl
}

describe("authPlugin", () => {
  it.each<[string, string, AuthPluginOptions]>([
    ["/auth", "by default", testConfig()],
    ["/account", "as basePath says", testConfig({ basePath: "/account/" })],
    ["/api/auth", "as prefix says", { ...testConfig(), prefix: "/api/auth" }],
    ["/acme/auth", "below a parameter", { ...testConfig(), prefix: "/:tenant/auth" }],
    ["/auth", "with a function", { config: () => testConfig() }],
    ["/login", "with a function and a prefix", { config: async () => testConfig(), prefix: "login" }],
  ])("answers below %s %s", async (basePath, _, options) => {
    await expectSignInToWork(await createApp(options), basePath)
  })

  it.each([undefined, "/api/auth"])(
    "answers below the prefix of the scope around it (basePath %s)",
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

  it("URL-21: refuses what the service does not know, and paths that mean another one", async () => {
    const origin = await serve(await createApp())
    for (const path of ["/auth/nothing", "/auth/session/more", "/auth/%73ession", "/auth/session;x"]) {
      expect([path, (await fetch(`${origin}${path}`)).status]).toEqual([path, 400])
    }
    expect(await statusOf(origin, "/auth/./session", {})).toBe(400)
    expect(await statusOf(origin, "/auth/x/../session", {})).toBe(400)
  })

  it("leaves the parsers of the app as they are", async () => {
    const app = await createApp()
    app.post("/echo", async (request) => request.body)
    const json = await app.inject({ method: "POST", url: "/echo", payload: { a: 1 } })
    expect(json.json()).toEqual({ a: 1 })
    const form = { "content-type": "application/x-www-form-urlencoded" }
    expect((await app.inject({ method: "POST", url: "/echo", payload: "a=1", headers: form })).statusCode).toBe(415)
  })

  it("takes JSON", async () => {
    const browser = await visit(await createApp())
    await browser.fetch("/auth/callback/credentials", { json: { ...right, csrfToken: await browser.csrfToken() } })
    expect(await browser.session()).toMatchObject({ user: ada })
  })

  it("keeps cookies that were set before it, each in a header of its own", async () => {
    const app = await createApp()
    app.addHook(
      "onRequest",
      async (_request, reply) => void reply.header("set-cookie", "early=1; Expires=Thu, 01 Jan 2099 00:00:00 GMT"),
    )
    const response = await app.inject({ url: "/auth/csrf" })
    expect(response.cookies.map(({ name }) => name)).toEqual(["early", "authjs.csrf-token"])
  })

  it("hands errors of the host's own function to the app", async () => {
    const app = createFastify()
    app.setErrorHandler<Error>((error, _request, reply) => reply.code(503).send(error.name))
    await app.register(authPlugin, { config: () => Promise.reject(new TypeError("no tenant")) })
    const response = await app.inject("/auth/session")
    expect([response.statusCode, response.body]).toEqual([503, "TypeError"])
  })

  it("hands each request to the configuration function", async () => {
    const configs = { a: testConfig(), b: testConfig({ providers: [] }) }
    const app = await createApp({ config: ({ headers }) => configs[headers["x-tenant"] === "b" ? "b" : "a"] })
    const ids = async (tenant: string) =>
      Object.keys((await app.inject({ url: "/auth/providers", headers: { "x-tenant": tenant } })).json())
    expect(await Promise.all([ids("a"), ids("b"), ids("a")])).toEqual([["credentials"], [], ["credentials"]])
  })

  it("takes what is missing from the environment", async () => {
    vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
    vi.stubEnv("AUTH_URL", "https://public.test/gate")
    const { secret: _, trustHost: __, ...config } = testConfig()
    const app = await createApp(config)
    expect(await callbackUrl(app, "/gate/providers")).toBe("https://public.test/gate/callback/credentials")
  })

  it("takes the longer path of AUTH_URL when a proxy cuts off its beginning", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test/shop/auth")
    const app = await createApp({ ...testConfig(), prefix: "/auth" })
    expect(await callbackUrl(app, "/auth/providers")).toBe("https://public.test/shop/auth/callback/credentials")
  })
})

describe("the origin", () => {
  const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "public.test:8443" }

  it("HOST-02: ignores forwarded headers unless the app trusts its proxy", async () => {
    expect(await callbackUrl(await createApp(), "/auth/providers", forwarded)).toBe(
      "http://app.test/auth/callback/credentials",
    )
  })

  it("HOST-02: ignores forwarded headers of a visitor who comes past the proxy", async () => {
    const app = await createApp(testConfig(), { trustProxy: "10.0.0.1" })
    expect(await callbackUrl(app, "/auth/providers", forwarded)).toBe("http://app.test/auth/callback/credentials")
  })

  it("follows forwarded headers, port included, when the app trusts its proxy", async () => {
    const app = await createApp(testConfig(), { trustProxy: "127.0.0.1" })
    expect(await callbackUrl(app, "/auth/providers", forwarded)).toBe(
      "https://public.test:8443/auth/callback/credentials",
    )
    expect(await callbackUrl(app, "/auth/providers")).toBe("http://app.test/auth/callback/credentials")
  })

  it("HOST-02: is that of AUTH_URL when there is one, whatever the request says", async () => {
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
  ])("HOST-04, HOST-05: answers 400 for %j and logs it", async (headers, trustProxy) => {
    const error = vi.fn()
    const app = await createApp(testConfig({ logger: { error } }), { trustProxy })
    expect(await statusOf(await serve(app), "/auth/session", headers)).toBe(400)
    expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
  })

  it("HOST-03: answers nothing under an origin that is not listed", async () => {
    const app = await createApp(testConfig({ allowedOrigins: ["http://app.test"] }))
    const ask = async (host: string) => (await app.inject({ url: "/auth/session", headers: { host } })).statusCode
    expect([await ask("app.test"), await ask("evil.test")]).toEqual([200, 400])
  })
})

describe("the visitor's address", () => {
  const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

  async function start(trustProxy: NonNullable<FastifyServerOptions["trustProxy"]>, changes: object = {}) {
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const app = await createApp(testConfig({ secret, rateLimit, providers: [oidc], ...changes }), { trustProxy })
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

  it("RATE-01: is that of the socket", async () => {
    expect(await (await start(false))(() => undefined)).toEqual(limited)
  })

  it("RATE-03: is what the app's trustProxy option makes of it", async () => {
    for (const trust of ["127.0.0.1", ["127.0.0.1", "::1"], (_: string, hop: number) => hop === 0]) {
      const ask = await start(trust)
      expect(await ask((index) => `6.6.6.${index}, 1.2.3.4`)).toEqual(limited)
      expect(await ask((index) => `1.2.4.${index}`)).toEqual(open)
    }
  })

  it("RATE-02: is not the visitor's choice where the app trusts everybody; such visitors share a larger budget", async () => {
    const ask = await start(true)
    const rounds = []
    for (let round = 0; round < 7; round++) rounds.push(...(await ask((index) => `6.6.${round}.${index}`)))
    expect(rounds).toEqual([...Array(30).fill(false), ...Array(5).fill(true)])
  })

  it("RATE-03: is what trustedProxies says where they are given, whatever the app trusts", async () => {
    const ask = await start(true, { trustedProxies: ["127.0.0.1", "::1", "10.0.0.0/8"] })
    expect(await ask((index) => `6.6.6.${index}, 1.2.3.4, 10.0.0.1`)).toEqual(limited)
  })
})

describe("getSession", () => {
  it("gives the session outside the plugin's scope too", async () => {
    const config = testConfig()
    const app = createFastify()
    await app.register(async (scope) => void (await scope.register(authPlugin, config)))
    app.get("/", async (request) => ({ session: await getSession(request, () => config) }))
    const browser = await visit(app)
    expect(await (await browser.fetch("/")).json()).toEqual({ session: null })
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toMatchObject({ session: { user: ada } })
  })

  it("CONF-01: throws when the service is misconfigured: never a session, never a quiet null", async () => {
    const app = createFastify()
    app.get("/", async (request) => getSession(request, testConfig({ secret: "" })))
    expect((await app.inject("/")).statusCode).toBe(500)
  })
})
