import type Koa from "koa"
import { afterEach, describe, expect, it, vi } from "vitest"
import { KoaAuth } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { bodyParser, koas, mount } from "./koas.js"
import { ask, serve, visit } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

const showPath: Koa.Middleware = (ctx) => {
  ctx.body = `app: ${ctx.path}`
}

/** Signs in and out, and checks the session at each step. */
async function expectSignInToWork(app: Koa, basePath = "/auth"): Promise<void> {
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

describe.each(koas)("KoaAuth in $name", ({ Koa }) => {
  it("answers below /auth, basePath, or prefix", async () => {
    await expectSignInToWork(new Koa().use(KoaAuth(testConfig())))
    await expectSignInToWork(new Koa().use(KoaAuth(testConfig({ basePath: "/account/" }))), "/account")
    await expectSignInToWork(new Koa().use(KoaAuth(testConfig(), { prefix: "/api/auth/" })), "/api/auth")
    await expectSignInToWork(new Koa().use(KoaAuth(async () => testConfig())))
    await expectSignInToWork(new Koa().use(KoaAuth(testConfig({ basePath: "/caf\u00E9/auth" }))), "/caf%C3%A9/auth")
    await expectSignInToWork(new Koa().use(KoaAuth(testConfig(), { prefix: "/caf\u00E9" })), "/caf%C3%A9")
  })

  it("answers in an app that koa-mount mounts below a path", async () => {
    const shop = new Koa().use(KoaAuth(testConfig({ basePath: "/shop/auth" })))
    await expectSignInToWork(new Koa().use(mount("/shop", shop)), "/shop/auth")
  })

  it("leaves other paths to the app", async () => {
    const origin = await serve(new Koa().use(KoaAuth(testConfig())).use(showPath))
    for (const path of ["/", "/authsession", "/AUTH/session", "/other/auth/session"]) {
      expect((await ask(origin, path)).body).toBe(`app: ${path}`)
    }
  })

  it("leaves the public path to the app where a proxy cuts off its beginning", async () => {
    const app = new Koa().use(KoaAuth(testConfig({ basePath: "/shop/auth" }), { prefix: "/auth" })).use(showPath)
    const origin = await serve(app)
    expect((await ask(origin, "/shop/auth/session")).body).toBe("app: /shop/auth/session")
    const { credentials } = JSON.parse((await ask(origin, "/auth/providers")).body)
    expect(new URL(credentials.callbackUrl).pathname).toBe("/shop/auth/callback/credentials")
  })

  it("URL-21: rejects unknown actions and ambiguous paths", async () => {
    const origin = await serve(new Koa().use(KoaAuth(testConfig())))
    for (const path of ["/auth/nothing", "/auth/session/more", "/auth/%73ession", "/auth/session;x"]) {
      expect([path, (await ask(origin, path)).status]).toEqual([path, 400])
    }
    expect((await ask(origin, "/auth/./session")).status).toBe(400)
    expect((await ask(origin, "/auth/x/../session")).status).toBe(400)
  })

  it("answers a target in absolute form", async () => {
    const origin = await serve(new Koa().use(KoaAuth(testConfig())).use(showPath))
    expect(await ask(origin, "http://evil.test/auth/session")).toMatchObject({ status: 200, body: "null" })
    const { body } = await ask(origin, "http://evil.test/auth/providers")
    expect(body).not.toContain("evil.test")
  })

  it.each(["text", "object"])("reads what a body parser left: %s", async (kind) => {
    const app = new Koa().use(bodyParser())
    app.use(async (ctx, next) => {
      if (kind === "object") Reflect.set(ctx.request, "rawBody", undefined) // Some parsers keep no text.
      await next()
    })
    await expectSignInToWork(app.use(KoaAuth(testConfig())))
  })

  it("fails for a body that was read without leaving a result, and explains where to mount it", async () => {
    const errors: Error[] = []
    const app = new Koa().use(async (ctx, next) => {
      await ctx.req.toArray()
      await next()
    })
    app.on("error", (error) => errors.push(error))
    const body = new URLSearchParams(right)
    const response = await fetch(`${await serve(app.use(KoaAuth(testConfig())))}/auth/callback/credentials`, {
      method: "POST",
      body,
    })
    expect([response.status, errors.map(({ message }) => message)]).toEqual([
      500,
      [expect.stringContaining("Mount authentication before the code that reads it")],
    ])
  })

  it("keeps cookies and headers of earlier middlewares, and the status of an empty answer", async () => {
    const app = new Koa().use(async (ctx, next) => {
      ctx.cookies.set("early", "1")
      ctx.type = "json"
      await next()
      ctx.set("x-status", String(ctx.status))
    })
    const browser = await visit(app.use(KoaAuth(testConfig())))
    const csrf = await browser.fetch("/auth/csrf")
    expect(csrf.headers.getSetCookie().map((line) => line.split("=", 1)[0])).toEqual(["early", "authjs.csrf-token"])
    const body = new URLSearchParams({ ...right, csrfToken: await browser.csrfToken(), callbackUrl: "/private" })
    const response = await browser.fetch("/auth/callback/credentials", { body })
    expect([response.status, response.headers.get("x-status")]).toEqual([302, "302"])
    expect([response.headers.get("content-type"), await response.text()]).toEqual([null, ""])
  })

  it("passes errors of the host's function to the app", async () => {
    const app = new Koa().use(async (ctx, next) => {
      await next().catch((error: Error) => {
        ctx.body = error.name
      })
    })
    const origin = await serve(app.use(KoaAuth(() => Promise.reject(new TypeError("no tenant")))))
    expect((await ask(origin, "/auth/session")).body).toBe("TypeError")
  })

  it("passes each request to the configuration function", async () => {
    const configs = { a: testConfig(), b: testConfig({ providers: [] }) }
    const app = new Koa().use(KoaAuth(({ headers }) => configs[headers["x-tenant"] === "b" ? "b" : "a"]))
    const origin = await serve(app)
    const ids = async (tenant: string) =>
      Object.keys(JSON.parse((await ask(origin, "/auth/providers", { "x-tenant": tenant })).body))
    const both = ["credentials", "email"]
    expect(await Promise.all([ids("a"), ids("b"), ids("a")])).toEqual([both, [], both])
  })

  it("completes the configuration from the environment", async () => {
    vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
    vi.stubEnv("AUTH_URL", "https://public.test/gate")
    const { secret: _, trustHost: __, ...config } = testConfig()
    const origin = await serve(new Koa().use(KoaAuth(config)))
    const { credentials } = JSON.parse((await ask(origin, "/gate/providers")).body)
    expect(credentials.callbackUrl).toBe("https://public.test/gate/callback/credentials")
  })
})
