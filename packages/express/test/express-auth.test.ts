import { request as sendRequest } from "node:http"
import express5, { type Response as ExpressResponse, type NextFunction, type Request } from "express"
import { afterEach, describe, expect, it, vi } from "vitest"
import { ExpressAuth, getSession } from "../src/index.js"
import { ada, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve } from "./serve.js"
import { createVisitor, type VisitorOptions } from "./visitor.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Signs in and out again, and looks at the session at each step. */
async function expectSignInToWork(origin: string, options: VisitorOptions = {}): Promise<void> {
  const visitor = createVisitor(origin, options)
  expect(await visitor.session()).toBeNull()

  const refused = await visitor.signIn("wrong")
  expect(refused.status).toBe(302)
  expect(new URL(refused.headers.get("location") ?? "").searchParams.get("error")).toBe("CredentialsSignin")
  expect(await visitor.session()).toBeNull()

  const accepted = await visitor.signIn("right")
  expect(accepted.status).toBe(302)
  expect(accepted.headers.get("location")).toBe(`${origin}/home`)
  expect(await visitor.session()).toMatchObject({ user: ada })

  const left = await visitor.signOut()
  expect(left.headers.get("location")).toBe(`${origin}/bye`)
  expect(await visitor.session()).toBeNull()
}

/** Status of a request whose headers no `fetch` would send. */
function statusOf(origin: string, path: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const sent = sendRequest({ hostname, port, path, headers }, (answer) => resolve(answer.resume().statusCode))
    sent.on("error", reject).end()
  })
}

describe.each(expresses)("ExpressAuth in $name", ({ express, wildcard }) => {
  describe("mounts", () => {
    it.each([
      ["a path", "/auth", () => express().use("/auth", ExpressAuth(testConfig()))],
      ["a wildcard", "/auth", () => express().use(wildcard("/auth"), ExpressAuth(testConfig()))],
      ["a wildcard under all", "/auth", () => express().all(wildcard("/auth"), ExpressAuth(testConfig()))],
      ["another path", "/api/login", () => express().use(wildcard("/api/login"), ExpressAuth(testConfig()))],
      ["all paths", "/auth", () => express().use(ExpressAuth(testConfig()))],
      [
        "all paths, with a base path",
        "/account",
        () => express().use(ExpressAuth(testConfig({ basePath: "/account/" }))),
      ],
      [
        "a router",
        "/api/auth",
        () => express().use("/api", express.Router().use(wildcard("/auth"), ExpressAuth(testConfig()))),
      ],
      [
        "an app in an app",
        "/inner/auth",
        () => express().use("/inner", express().use("/auth", ExpressAuth(testConfig()))),
      ],
      ["a parameter", "/acme/auth", () => express().use(wildcard("/:tenant/auth"), ExpressAuth(testConfig()))],
    ])("on %s", async (_, basePath, createApp) => {
      const origin = await serve(createApp())
      await expectSignInToWork(origin, { basePath })
      const providers = await (await fetch(`${origin}${basePath}/providers`)).json()
      expect(providers.credentials.callbackUrl).toBe(`${origin}${basePath}/callback/credentials`)
    })

    it("passes on what is not below the base path when mounted for all paths", async () => {
      const app = express().use(ExpressAuth(testConfig()))
      app.use((req, res) => void res.send(`app: ${req.path}`))
      const origin = await serve(app)
      for (const path of ["/", "/authsession", "/AUTH/session", "/other/auth/session"]) {
        expect(await (await fetch(`${origin}${path}`)).text()).toBe(`app: ${path}`)
      }
    })

    it("where a middleware rewrote the URL before", async () => {
      const app = express().use((req: Request, _res: ExpressResponse, next: NextFunction) => {
        req.url = req.url.replace(/^\/v1\//, "/")
        next()
      })
      const origin = await serve(app.use("/auth", ExpressAuth(testConfig())))
      expect((await fetch(`${origin}/v1/auth/session?x=1`)).status).toBe(200)
    })

    it("URL-21: refuses what the service does not know, and paths that mean another one", async () => {
      const origin = await serve(express().use("/auth", ExpressAuth(testConfig())))
      for (const path of ["/auth", "/auth/nothing", "/auth/session/more", "/auth/%73ession", "/auth/session;x"]) {
        expect((await fetch(`${origin}${path}`)).status, path).toBe(400)
      }
      expect(await statusOf(origin, "/auth/./session", {})).toBe(400)
      expect(await statusOf(origin, "/auth/x/../session", {})).toBe(400)
    })
  })

  describe("bodies", () => {
    const parsers = [
      ["nothing", []],
      ["express.json and express.urlencoded", [express.json(), express.urlencoded({ extended: true })]],
      ["simple express.urlencoded", [express.urlencoded({ extended: false }), express.json()]],
      ["express.text", [express.text({ type: "*/*" })]],
      ["express.raw", [express.raw({ type: "*/*" })]],
    ] as const

    describe.each(parsers)("after %s", (_, before) => {
      it.each(["form", "json"] as const)("signs in by %s", async (bodyType) => {
        const app = express()
        for (const parser of before) app.use(parser)
        app.use("/auth", ExpressAuth(testConfig()))
        await expectSignInToWork(await serve(app), { bodyType })
      })
    })

    it("LIM-02: refuses parsed JSON that is nested too deeply", async () => {
      const app = express().use(express.json())
      const origin = await serve(app.use("/auth", ExpressAuth(testConfig())))
      const body = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
      const headers = { "content-type": "application/json" }
      expect((await fetch(`${origin}/auth/signout`, { method: "POST", headers, body })).status).toBe(400)
    })

    it("refuses a body beyond the limit, and goes on", async () => {
      const origin = await serve(express().use("/auth", ExpressAuth(testConfig())))
      const body = new URLSearchParams({ csrfToken: "x".repeat(2_000_000) })
      expect((await fetch(`${origin}/auth/signout`, { method: "POST", body })).status).toBe(413)
      expect((await fetch(`${origin}/auth/session`)).status).toBe(200)
    })
  })

  describe("cookies", () => {
    it("keeps every cookie of its own and those that were set before", async () => {
      const app = express().use((_req: Request, res: ExpressResponse, next: NextFunction) => {
        res.cookie("early", "1").cookie("earlier", "2")
        next()
      })
      const origin = await serve(app.use("/auth", ExpressAuth(testConfig())))
      const visitor = createVisitor(origin)
      const response = await visitor.signIn("right")
      const names = response.headers.getSetCookie().map((line) => line.split("=", 1)[0])
      expect(names).toEqual(expect.arrayContaining(["early", "earlier", "authjs.session-token", "authjs.callback-url"]))
      expect(await visitor.session()).toMatchObject({ user: ada })
    })
  })

  describe("origin", () => {
    const forwarded = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test:8443" }

    async function originBehind(trust: boolean, headers: Record<string, string>): Promise<string> {
      const app = express().set("trust proxy", trust).use("/auth", ExpressAuth(testConfig()))
      const origin = await serve(app)
      const response = await fetch(`${origin}/auth/providers`, { headers })
      const { credentials } = await response.json()
      return new URL(credentials.signinUrl).origin.replace(origin, "its own")
    }

    it("HOST-02: ignores forwarded headers unless the app trusts its proxy", async () => {
      expect(await originBehind(false, forwarded)).toBe("its own")
    })

    it("follows forwarded headers, port included, when the app trusts its proxy", async () => {
      expect(await originBehind(true, forwarded)).toBe("https://app.test:8443")
      expect(await originBehind(true, { "x-forwarded-host": "app.test, app.test" })).toBe("http://app.test")
      expect(await originBehind(true, {})).toBe("its own")
    })

    it("HOST-05: answers nothing where a trusted proxy adds its host to one that a visitor wrote", async () => {
      const app = express().set("trust proxy", true).use("/auth", ExpressAuth(testConfig()))
      const headers = { "x-forwarded-host": "evil.test, app.test" }
      const response = await fetch(`${await serve(app)}/auth/providers`, { headers })
      expect([response.status, await response.text()]).toEqual([400, '"Bad request."'])
    })

    it("inherits the setting in an app inside an app", async () => {
      const inner = express().use("/auth", ExpressAuth(testConfig()))
      const origin = await serve(express().set("trust proxy", true).use("/inner", inner))
      const providers = await (await fetch(`${origin}/inner/auth/providers`, { headers: forwarded })).json()
      expect(providers.credentials.signinUrl).toBe("https://app.test:8443/inner/auth/signin/credentials")
    })

    it("sets secure cookies when a trusted proxy says https", async () => {
      const app = express().set("trust proxy", true).use("/auth", ExpressAuth(testConfig()))
      const response = await fetch(`${await serve(app)}/auth/csrf`, { headers: forwarded })
      expect(response.headers.getSetCookie().join()).toMatch(/^__Host-authjs\.csrf-token=.*; Secure/)
    })

    it("HOST-02: is that of AUTH_URL when there is one, whatever the request says", async () => {
      vi.stubEnv("AUTH_URL", "https://public.test")
      const headers = { ...forwarded, host: "evil.test" }
      expect(await originBehind(true, headers)).toBe("https://public.test")
      expect(await originBehind(false, headers)).toBe("https://public.test")
    })

    it.each([
      [{ host: "user@evil.test" }, false],
      [{ host: "app.test evil.test" }, false],
      [{ "x-forwarded-host": "user@evil.test/x?" }, true],
      [{ "x-forwarded-host": "[::1" }, true],
      [{ "x-forwarded-host": "app.test:99999" }, true],
      [{ "x-forwarded-proto": "javascript" }, true],
      [{ "x-forwarded-proto": "https://evil.test/" }, true],
    ])("HOST-04, HOST-05: answers 400 for %j and logs it", async (headers, trust) => {
      const error = vi.fn()
      const app = express()
        .set("trust proxy", trust)
        .use("/auth", ExpressAuth(testConfig({ logger: { error } })))
      expect(await statusOf(await serve(app), "/auth/session", headers)).toBe(400)
      expect(error).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ type: "UntrustedHost" }))
    })

    it("takes the longer path of AUTH_URL when a proxy cuts off its beginning", async () => {
      vi.stubEnv("AUTH_URL", "https://public.test/shop/auth")
      const origin = await serve(express().use("/auth", ExpressAuth(testConfig())))
      const providers = await (await fetch(`${origin}/auth/providers`)).json()
      expect(providers.credentials.callbackUrl).toBe("https://public.test/shop/auth/callback/credentials")
    })

    it("takes the mount path when AUTH_URL has quite another path", async () => {
      vi.stubEnv("AUTH_URL", "https://public.test/elsewhere")
      const origin = await serve(express().use("/auth", ExpressAuth(testConfig())))
      const providers = await (await fetch(`${origin}/auth/providers`)).json()
      expect(providers.credentials.callbackUrl).toBe("https://public.test/auth/callback/credentials")
    })
  })

  describe("configuration", () => {
    it("takes what is missing from the environment", async () => {
      vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
      const { secret: _, trustHost: __, ...config } = testConfig()
      await expectSignInToWork(await serve(express().use("/auth", ExpressAuth(config))))
    })

    it("may come from a function, at once or later", async () => {
      const config = testConfig()
      const atOnce = vi.fn((req: Request) => (req.get("x-tenant") === "none" ? testConfig({ providers: [] }) : config))
      const app = express()
        .use("/auth", ExpressAuth(atOnce))
        .use(
          "/later",
          ExpressAuth(async () => config),
        )
      const origin = await serve(app)
      await expectSignInToWork(origin)
      await expectSignInToWork(origin, { basePath: "/later" })
      const response = await fetch(`${origin}/auth/providers`, { headers: { "x-tenant": "none" } })
      expect(await response.json()).toEqual({})
    })

    it.each([
      ["rejects", () => Promise.reject(new Error("no tenant"))],
      [
        "throws",
        () => {
          throw new Error("no tenant")
        },
      ],
    ])("hands the error to the app when the function %s", async (_, config) => {
      const app = express().use("/auth", ExpressAuth(config))
      app.use((error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) => {
        res.status(503).send(error.message)
      })
      const response = await fetch(`${await serve(app)}/auth/session`)
      expect(response.status).toBe(503)
      expect(await response.text()).toBe("no tenant")
    })
  })

  describe("getSession", () => {
    function appWith(config: Parameters<typeof ExpressAuth>[0]) {
      const app = express().use("/auth", ExpressAuth(config))
      app.get("/page", async (req: Request, res: ExpressResponse, next: NextFunction) => {
        await getSession(req, config).then((session) => res.json({ session }), next)
      })
      app.use((error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) => {
        res.status(503).send(error.name)
      })
      return app
    }

    it("is null without a session, and the session of who signed in", async () => {
      const config = testConfig()
      const visitor = createVisitor(await serve(appWith(config)))
      expect(await (await visitor.get("/page")).json()).toEqual({ session: null })
      await visitor.signIn("right")
      expect(await (await visitor.get("/page")).json()).toMatchObject({ session: { user: ada } })
      await visitor.signOut()
      expect(await (await visitor.get("/page")).json()).toEqual({ session: null })
    })

    it("is null for a forged cookie", async () => {
      const visitor = createVisitor(await serve(appWith(testConfig())))
      const page = await visitor.get("/page", { cookie: "authjs.session-token=forged" })
      expect(await page.json()).toEqual({ session: null })
    })

    it("reads secure cookies behind a trusted proxy, and only there", async () => {
      const config = testConfig()
      const trusting = await serve(appWith(config).set("trust proxy", true))
      const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.test", origin: "https://app.test" }
      const visitor = createVisitor(trusting, { headers })
      await visitor.signIn("right")
      expect([...visitor.cookies.keys()]).toContain("__Secure-authjs.session-token")
      expect(await (await visitor.get("/page")).json()).toMatchObject({ session: { user: ada } })

      const cookie = `__Secure-authjs.session-token=${visitor.cookies.get("__Secure-authjs.session-token")}`
      const wary = createVisitor(await serve(appWith(config)), { headers: { ...headers, cookie } })
      expect(await (await wary.get("/page")).json()).toEqual({ session: null })
    })

    it("CONF-01: throws when the service is misconfigured: never a session, never a quiet null", async () => {
      const visitor = createVisitor(await serve(appWith(testConfig({ secret: "" }))))
      const page = await visitor.get("/page")
      expect(page.status).toBe(503)
      expect(await page.text()).toBe("AuthError")
    })
  })
})

describe("ExpressAuth in Express 5 alone", () => {
  it("is mounted on an optional wildcard", async () => {
    const app = express5().use("/auth/{*splat}", ExpressAuth(testConfig()))
    await expectSignInToWork(await serve(app))
  })
})
