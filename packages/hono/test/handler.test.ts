import { createRequire } from "node:module"
import { testOrigin } from "@latchkey/testkit/integration"
import { type Context, Hono, type Next } from "hono"
import { setCookie } from "hono/cookie"
import { afterEach, describe, expect, it, vi } from "vitest"
import { authHandler, HonoAuth, initAuthConfig } from "../src/index.js"
import { type AnyHono, visit } from "./browser.js"
import { ada, right, testConfig } from "./config.js"
import { serve } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Signs in and out, and checks the session at each step. */
async function expectSignInToWork(app: AnyHono, basePath = "/auth"): Promise<void> {
  const browser = visit(app, { basePath })
  expect(await browser.session()).toBeNull()
  const refused = await browser.signIn("credentials", { username: "ada", password: "wrong" })
  expect(refused.url.searchParams.get("error")).toBe("CredentialsSignin")
  await browser.signIn("credentials", right)
  expect(await browser.session()).toMatchObject({ user: ada })
  await browser.signOut()
  expect(await browser.session()).toBeNull()
}

const callbackUrlOf = async (response: Response | Promise<Response>) =>
  (await (await response).json()).credentials.callbackUrl

describe("authHandler", () => {
  const configured = () => new Hono().use(initAuthConfig(testConfig()))

  it.each([
    ["a wildcard", "/auth", () => configured().use("/auth/*", authHandler())],
    ["a wildcard under all", "/auth", () => configured().all("/auth/*", authHandler())],
    ["two methods", "/api/auth", () => configured().on(["GET", "POST"], "/api/auth/*", authHandler())],
    ["a base path", "/api/auth", () => configured().basePath("/api").use("/auth/*", authHandler())],
    ["an app in an app", "/in/auth", () => configured().route("/in", new Hono().use("/auth/*", authHandler()))],
    ["a parameter", "/acme/auth", () => configured().use("/:tenant/auth/*", authHandler())],
    ["an encoded parameter", "/a%20b/auth", () => configured().use("/:tenant/auth/*", authHandler())],
    ["all paths", "/auth", () => configured().use(authHandler())],
    ["a pattern without a mount path", "/auth", () => configured().all("/auth/:rest{.+}", authHandler())],
  ])("takes the base path from %s", async (_, basePath, createApp) => {
    const app = createApp()
    await expectSignInToWork(app, basePath)
    const address = `http://app.test${basePath}`
    expect(await callbackUrlOf(app.request(`${address}/providers`))).toBe(`${address}/callback/credentials`)
  })

  it("takes the base path in an app in CommonJS, which has another copy of Hono than this package", async () => {
    // as: the same, in the other module format.
    const commonJs = createRequire(import.meta.url)("hono") as typeof import("hono")
    expect(commonJs.Hono).not.toBe(Hono)
    const app = new commonJs.Hono().use(initAuthConfig(testConfig())).use("/in/auth/*", authHandler())
    await expectSignInToWork(app, "/in/auth")
  })

  it("takes the base path in an app that routes by host", async () => {
    const app = new Hono({ getPath: (request) => request.url.replace(/^https?:\/([^?]*).*$/, "$1") })
    app.use("/app.test/*", initAuthConfig(testConfig())).use("/app.test/auth/*", authHandler())
    await expectSignInToWork(app)
  })

  it("passes on other paths than those below the base path if mounted for all paths", async () => {
    const app = new Hono().use(HonoAuth(testConfig({ basePath: "/account/" }))).all("*", (c) => c.text(c.req.path))
    for (const path of ["/", "/accountsession", "/ACCOUNT/session", "/other/account/session"]) {
      expect(await (await app.request(path)).text()).toBe(path)
    }
    await expectSignInToWork(app, "/account")
  })

  it("URL-21: rejects unknown actions and ambiguous paths", async () => {
    const app = configured().use("/auth/*", authHandler())
    for (const path of ["/auth", "/auth/nothing", "/auth/session/more", "/auth/%73ession", "/auth/session;x"]) {
      expect([path, (await app.request(path)).status]).toEqual([path, 400])
    }
  })

  it("explains how to mount initAuthConfig if it is missing", async () => {
    const app = new Hono().use("/auth/*", authHandler()).onError((error, c) => c.text(error.message, 500))
    const response = await app.request("/auth/session")
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("initAuthConfig(config)")])
  })

  describe("bodies", () => {
    it.each([
      ["parseBody", (c: Context) => c.req.parseBody()],
      ["text", (c: Context) => c.req.text()],
      ["arrayBuffer", (c: Context) => c.req.arrayBuffer()],
      ["blob", (c: Context) => c.req.blob()],
      ["formData", (c: Context) => c.req.formData()],
    ])("accepts a form that was read by %s", async (_, read) => {
      const app = new Hono().use(async (c: Context, next: Next) => {
        if (c.req.method === "POST") await read(c)
        await next()
      })
      await expectSignInToWork(app.use(HonoAuth(testConfig())))
    })

    it("accepts JSON that was read", async () => {
      const app = new Hono().use(async (c, next) => {
        if (c.req.method === "POST") await c.req.json()
        await next()
      })
      const browser = visit(app.use(HonoAuth(testConfig())))
      await browser.fetch("/auth/callback/credentials", { json: { ...right, csrfToken: await browser.csrfToken() } })
      expect(await browser.session()).toMatchObject({ user: ada })
    })

    it("throws for a body that was read without Hono, so that it is never silently empty", async () => {
      const app = new Hono().use(async (c, next) => {
        await c.req.raw.text()
        await next()
      })
      app.use(HonoAuth(testConfig())).onError((error, c) => c.text(error.message, 500))
      const response = await app.request("/auth/signout", { method: "POST", body: "a=b" })
      expect([response.status, await response.text()]).toEqual([500, expect.stringContaining("c.req.raw")])
    })
  })

  it("keeps the cookies set before its own", async () => {
    const app = new Hono().use(async (c, next) => {
      setCookie(c, "early", "1")
      await next()
    })
    const response = await app.use(HonoAuth(testConfig())).request("http://app.test/auth/csrf")
    expect(response.headers.getSetCookie().map((line) => line.split("=", 1)[0])).toEqual(["early", "authjs.csrf-token"])
  })
})

describe("HonoAuth", () => {
  testOrigin({
    start: (config, trustProxy) => serve(new Hono().use(HonoAuth(config, { trustProxy })).fetch),
    checksHost: true,
  })

  it("uses the longer path of AUTH_URL if it ends with the mount path", async () => {
    vi.stubEnv("AUTH_URL", "https://public.test/shop/auth")
    const app = new Hono().use(initAuthConfig(testConfig())).use("/auth/*", authHandler())
    expect(await callbackUrlOf(app.request("/auth/providers"))).toBe(
      "https://public.test/shop/auth/callback/credentials",
    )
  })
})

describe("the client address", () => {
  const rateLimit = { budgets: { callback: { limit: 3, windowSeconds: 60 } } }
  const oidc = { id: "oidc", name: "Identity", type: "oidc", issuer: "https://idp.test", clientId: "rp" } as const

  async function ask(
    changes: Parameters<typeof testConfig>[0],
    headers: (index: number) => Record<string, string>,
    count = 5,
  ) {
    const secret = `a secret of this test alone: ${crypto.randomUUID()}`
    const app = new Hono().use(HonoAuth(testConfig({ secret, rateLimit, providers: [oidc], ...changes })))
    const origin = await serve(app.fetch)
    const refused = []
    for (let index = 0; index < count; index++) {
      const response = await fetch(`${origin}/auth/callback/oidc?code=c`, {
        headers: headers(index),
        redirect: "manual",
      })
      refused.push(response.status === 429)
      await response.text()
    }
    return refused
  }

  const limited = [false, false, false, true, true]

  it("does not call the service binding of a worker that is named like a server", async () => {
    const call = vi.fn()
    const remote = new Proxy({}, { get: () => call })
    const app = new Hono().use(HonoAuth(testConfig()))
    const response = await app.request("http://app.test/auth/session", {}, { server: remote, remoteAddr: remote })
    expect([response.status, call.mock.calls]).toEqual([200, []])
  })

  it("RATE-02: is not read from a header of the client", async () => {
    expect(await ask({}, (index) => ({ "cf-connecting-ip": `6.6.7.${index}` }))).toEqual(limited)
    // The peer is a proxy that trustedProxies does not list, so the client is unknown.
    expect(await ask({}, () => ({ "x-forwarded-for": "6.6.6.6" }))).toEqual(Array(5).fill(false))
  })

  it("RATE-03: is read from the platform's header if clientAddress is configured", async () => {
    const clientAddress = (request: Request) => request.headers.get("cf-connecting-ip") ?? undefined
    expect(await ask({ clientAddress }, (index) => ({ "cf-connecting-ip": `9.9.${index}.9` }))).toEqual(
      Array(5).fill(false),
    )
    expect(await ask({ clientAddress }, () => ({ "cf-connecting-ip": "9.8.7.6" }))).toEqual(limited)
  })
})
