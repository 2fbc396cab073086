import express5, { type Response as ExpressResponse, type NextFunction, type Request } from "express"
import { afterEach, describe, expect, it, vi } from "vitest"
import { findMountPath } from "../src/handler.js"
import { ExpressAuth } from "../src/index.js"
import { type BrowserOptions, createBrowser } from "./browser.js"
import { ada, right, testConfig } from "./config.js"
import { expresses } from "./expresses.js"
import { serve, statusOf } from "./serve.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

/** Signs in and out, and checks the session at each step. */
async function expectSignInToWork(origin: string, options: BrowserOptions = {}): Promise<void> {
  const browser = createBrowser(origin, options)
  expect(await browser.session()).toBeNull()

  const refused = await browser.signIn("wrong")
  expect(refused.status).toBe(302)
  expect(new URL(refused.headers.get("location") ?? "").searchParams.get("error")).toBe("CredentialsSignin")
  expect(await browser.session()).toBeNull()

  const accepted = await browser.signIn(right.password)
  expect(accepted.status).toBe(302)
  expect(accepted.headers.get("location")).toBe(`${origin}/home`)
  expect(await browser.session()).toMatchObject({ user: ada })

  const left = await browser.signOut()
  expect(left.headers.get("location")).toBe(`${origin}/bye`)
  expect(await browser.session()).toBeNull()
}

describe.each(expresses)("ExpressAuth in $name", ({ express, wildcard }) => {
  describe("mounted", () => {
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

    it("for all paths passes on other paths than those below the base path", async () => {
      const app = express().use(ExpressAuth(testConfig()))
      app.use((req, res) => void res.send(`app: ${req.path}`))
      const origin = await serve(app)
      for (const path of ["/", "/authsession", "/AUTH/session", "/other/auth/session"]) {
        expect(await (await fetch(`${origin}${path}`)).text()).toBe(`app: ${path}`)
      }
    })

    it("behind a middleware that rewrites the URL", async () => {
      const app = express().use((req: Request, _res: ExpressResponse, next: NextFunction) => {
        req.url = req.url.replace(/^\/v1\//, "/")
        next()
      })
      const origin = await serve(app.use("/auth", ExpressAuth(testConfig())))
      expect((await fetch(`${origin}/v1/auth/session?x=1`)).status).toBe(200)
    })

    it("URL-21: rejects unknown actions and ambiguous paths", async () => {
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
      ["no parser", []],
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

    it("LIM-02: rejects parsed JSON that is nested too deeply", async () => {
      const app = express().use(express.json())
      const origin = await serve(app.use("/auth", ExpressAuth(testConfig())))
      const body = `{"a":${"[".repeat(20_000)}${"]".repeat(20_000)}}`
      const headers = { "content-type": "application/json" }
      expect((await fetch(`${origin}/auth/signout`, { method: "POST", headers, body })).status).toBe(400)
    })

    it("rejects a body over the limit and keeps working", async () => {
      const origin = await serve(express().use("/auth", ExpressAuth(testConfig())))
      const body = new URLSearchParams({ csrfToken: "x".repeat(2_000_000) })
      expect((await fetch(`${origin}/auth/signout`, { method: "POST", body })).status).toBe(413)
      expect((await fetch(`${origin}/auth/session`)).status).toBe(200)
    })
  })

  describe("cookies", () => {
    it("keeps the cookies set before its own", async () => {
      const app = express().use((_req: Request, res: ExpressResponse, next: NextFunction) => {
        res.cookie("early", "1").cookie("earlier", "2")
        next()
      })
      const origin = await serve(app.use("/auth", ExpressAuth(testConfig())))
      const browser = createBrowser(origin)
      const response = await browser.signIn(right.password)
      const names = response.headers.getSetCookie().map((line) => line.split("=", 1)[0])
      expect(names).toEqual(expect.arrayContaining(["early", "earlier", "authjs.session-token", "authjs.callback-url"]))
      expect(await browser.session()).toMatchObject({ user: ada })
    })
  })

  describe("configuration", () => {
    it("is completed from the environment", async () => {
      vi.stubEnv("AUTH_SECRET", "a secret of the environment, long enough")
      const { secret: _, trustHost: __, ...config } = testConfig()
      await expectSignInToWork(await serve(express().use("/auth", ExpressAuth(config))))
    })

    it("may come from a function, synchronous or asynchronous", async () => {
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
    ])("passes the error to the app if its function %s", async (_, config) => {
      const app = express().use("/auth", ExpressAuth(config))
      app.use((error: Error, _req: Request, res: ExpressResponse, _next: NextFunction) => {
        res.status(503).send(error.message)
      })
      const response = await fetch(`${await serve(app)}/auth/session`)
      expect(response.status).toBe(503)
      expect(await response.text()).toBe("no tenant")
    })
  })
})

describe("ExpressAuth with an optional wildcard (Express 5)", () => {
  it("signs in and out", async () => {
    const app = express5().use("/auth/{*splat}", ExpressAuth(testConfig()))
    await expectSignInToWork(await serve(app))
  })
})

const tell = (req: Request, res: ExpressResponse) => void res.send(`<${findMountPath(req)}>`)
const paths = [
  "/session",
  "/signin/github",
  "/callback/my%20provider",
  "/callback/a%2Fb",
  "/session/?x=/auth",
  "/auth",
  "//session",
]

describe.each(expresses)("findMountPath in $name", ({ name, express, wildcard }) => {
  async function mountPaths(app: ReturnType<typeof express>, prefix: string): Promise<readonly string[]> {
    const origin = await serve(app)
    return await Promise.all(paths.map(async (path) => await (await fetch(`${origin}${prefix}${path}`)).text()))
  }

  const everywhere = (mountPath: string) => paths.map(() => `<${mountPath}>`)

  it.each(["use", "all"] as const)("finds the path before a wildcard with %s", async (method) => {
    expect(await mountPaths(express()[method](wildcard("/auth"), tell), "/auth")).toEqual(everywhere("/auth"))
  })

  it("finds a plain mount path", async () => {
    expect(await mountPaths(express().use("/auth", tell), "/auth")).toEqual(everywhere("/auth"))
  })

  it("finds a path of several segments", async () => {
    expect(await mountPaths(express().use(wildcard("/api/v1/auth"), tell), "/api/v1/auth")).toEqual(
      everywhere("/api/v1/auth"),
    )
  })

  it.each(["use", "all"] as const)("includes the mounts of a router and an app above, with %s", async (method) => {
    const router = express.Router()[method](wildcard("/auth"), tell)
    const inner = express().use("/v1", router)
    expect(await mountPaths(express().use("/api", inner), "/api/v1/auth")).toEqual(everywhere("/api/v1/auth"))
  })

  it("finds the mount of a router above a wildcard that is the whole pattern", async () => {
    const router = express.Router().use(name === "Express 5" ? "/*path" : "*", tell)
    expect(await mountPaths(express().use("/api/auth", router), "/api/auth")).toEqual(everywhere("/api/auth"))
  })

  it("keeps parameters and encoded characters before the wildcard as sent", async () => {
    const app = express().use(wildcard("/:tenant/auth"), tell)
    expect(await mountPaths(app, "/ac%20me/auth")).toEqual(everywhere("/ac%20me/auth"))
  })

  it("ignores a wildcard of a router above", async () => {
    const router = express.Router({ mergeParams: true }).use("/auth", tell)
    const app = express().use(name === "Express 5" ? "/*prefix/api" : "/*/api", router)
    const origin = await serve(app)
    expect(await (await fetch(`${origin}/a/b/api/auth/signin/github`)).text()).toBe("</a/b/api/auth>")
  })

  it("is empty if mounted for all paths", async () => {
    expect(await mountPaths(express().use(tell), "/auth")).toEqual(everywhere(""))
  })

  it("finds the mount path in a request for that path itself", async () => {
    const origin = await serve(
      express()
        .use(name === "Express 5" ? "/auth/{*splat}" : "/auth/*", tell)
        .use("/auth", tell),
    )
    expect(await (await fetch(`${origin}/auth`)).text()).toBe("</auth>")
    expect(await (await fetch(`${origin}/auth/`)).text()).toBe("</auth>")
  })
})

describe("findMountPath with an optional wildcard (Express 5)", () => {
  it.each(["/auth/session", "/auth/", "/auth/signin/github"])("finds /auth for %s", async (path) => {
    const [current] = expresses
    const origin = await serve(current.express().use("/auth/{*splat}", tell))
    expect(await (await fetch(`${origin}${path}`)).text()).toBe("</auth>")
  })
})
