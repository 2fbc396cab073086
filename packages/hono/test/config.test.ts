import { Hono } from "hono"
import { afterEach, describe, expect, it, vi } from "vitest"
import { fromBindings, HonoAuth, initAuthConfig } from "../src/index.js"
import { type AnyHono, visit } from "./browser.js"
import { right, testConfig } from "./config.js"

afterEach(() => {
  vi.unstubAllEnvs()
})

const secret = "a secret of the environment, long enough"

/** A configuration without the values of the environment. */
function bareConfig() {
  const { secret: _, trustHost: __, ...config } = testConfig()
  return config
}

async function canSignIn(app: AnyHono, env?: object): Promise<boolean> {
  const browser = visit(app, { ...(env && { env }) })
  await browser.signIn("credentials", right)
  return (await browser.session())?.user !== undefined
}

describe("the environment", () => {
  it("is the environment of the process", async () => {
    vi.stubEnv("AUTH_SECRET", secret)
    vi.stubEnv("AUTH_TRUST_HOST", "true")
    expect(await canSignIn(new Hono().use(HonoAuth(bareConfig())))).toBe(true)
  })

  it("prefers a worker's bindings to the environment of the process", async () => {
    const app = new Hono().use(HonoAuth(bareConfig()))
    const signinUrl = async (env: object) => {
      const response = await app.request("/auth/providers", {}, env)
      return (await response.json()).credentials?.signinUrl
    }
    vi.stubEnv("AUTH_URL", "https://process.test")
    expect(await signinUrl({ AUTH_SECRET: secret })).toBe("https://process.test/auth/signin/credentials")
    expect(await signinUrl({ AUTH_SECRET: secret, AUTH_URL: "https://worker.test/auth" })).toBe(
      "https://worker.test/auth/signin/credentials",
    )
  })

  it("MODE-01, MODE-02: runs in production on a worker, unless a binding says otherwise", async () => {
    vi.stubGlobal("process", undefined)
    const weak = { AUTH_SECRET: "x" }
    const statusOf = async (url: string, env: object) =>
      (await new Hono().use(HonoAuth(bareConfig())).request(`${url}/auth/session`, {}, env)).status
    const answers = [
      await statusOf("http://localhost:8787", weak),
      await statusOf("http://localhost:8787", { ...weak, NODE_ENV: "production" }),
      await statusOf("http://localhost:8787", { ...weak, NODE_ENV: "development" }),
      await statusOf("https://evil.test", { AUTH_SECRET: secret }),
      await statusOf("https://app.test", { AUTH_SECRET: secret, AUTH_URL: "https://app.test" }),
    ]
    vi.unstubAllGlobals()
    expect(answers).toEqual([500, 500, 200, 500, 200])
  })

  it("completes providers from a worker's bindings", async () => {
    const oidc = { id: "my-idp", name: "Mine", type: "oidc" } as const
    const app = new Hono().use(HonoAuth({ ...bareConfig(), providers: [oidc] }))
    const env = { AUTH_SECRET: secret, AUTH_MY_IDP_ID: "rp", AUTH_MY_IDP_ISSUER: "https://idp.test", DB: {} }
    const response = await app.request("/auth/providers", {}, env)
    expect([response.status, Object.keys(await response.json())]).toEqual([200, ["my-idp"]])
  })

  it("CONF-01: is not shared by workers with the same configuration", async () => {
    const app = new Hono().use(HonoAuth(bareConfig()))
    const one = visit(app, { env: { AUTH_SECRET: secret, AUTH_TRUST_HOST: "true" } })
    await one.signIn("credentials", right)
    const cookie = one.cookies.list().map(({ name, value }) => `${name}=${value}`)
    const ask = async (text: string) => {
      const headers = { cookie: cookie.join("; ") }
      const env = { AUTH_SECRET: text, AUTH_TRUST_HOST: "true" }
      return (await app.request("http://app.test/auth/session", { headers }, env)).json()
    }
    expect(await ask(secret)).toMatchObject({ user: {} })
    expect(await ask(`${secret}, but another one`)).toBeNull()
    expect(await ask(secret)).toMatchObject({ user: {} })
  })
})

describe("a configuration function", () => {
  it("is called once for a request", async () => {
    const config = testConfig()
    const find = vi.fn(async () => config)
    const app = new Hono()
      .use(initAuthConfig(find))
      .use(HonoAuth(find))
      .get("/", (c) => c.text("home"))
    await app.request("/")
    expect(find).toHaveBeenCalledTimes(1)
    expect(await canSignIn(app)).toBe(true)
  })

  it("is not called if the configuration is not needed", async () => {
    const find = vi.fn(() => testConfig())
    await new Hono()
      .use(initAuthConfig(find))
      .get("/", (c) => c.text("home"))
      .request("/")
    expect(find).not.toHaveBeenCalled()
  })

  it("passes its error to the app", async () => {
    const app = new Hono().use(HonoAuth(() => Promise.reject(new TypeError("no tenant"))))
    app.onError((error, c) => c.text(error.name, 503))
    const response = await app.request("/auth/session")
    expect([response.status, await response.text()]).toEqual([503, "TypeError"])
  })

  it("may return a new object for each request", async () => {
    expect(await canSignIn(new Hono().use(HonoAuth(() => testConfig())))).toBe(true)
  })
})

describe("fromBindings", () => {
  interface Bindings {
    readonly SECRET: string
    readonly DB: object
  }

  it("creates the configuration once for the same bindings, even in another object", async () => {
    const create = vi.fn((env: Bindings) => ({ ...bareConfig(), secret: env.SECRET, trustHost: true }))
    const app = new Hono<{ Bindings: Bindings }>().use(HonoAuth(fromBindings(create)))
    const DB = {}
    expect(await canSignIn(app, { SECRET: secret, DB })).toBe(true)
    await app.request("/auth/session", {}, { SECRET: secret, DB })
    expect(create).toHaveBeenCalledTimes(1)
    await app.request("/auth/session", {}, { SECRET: secret, DB: {} })
    await app.request("/auth/session", {}, { SECRET: `${secret}.`, DB })
    await app.request("/auth/session", {}, { SECRET: `${secret}.` } as Bindings)
    expect(create).toHaveBeenCalledTimes(4)
  })

  it("does not wait for a creation that never ends, as on a worker whose visitor left", async () => {
    const create = vi.fn(async (_: Bindings) => testConfig()).mockReturnValueOnce(new Promise(() => {}))
    const app = new Hono<{ Bindings: Bindings }>().use(HonoAuth(fromBindings(create)))
    const env = { SECRET: secret, DB: {} }
    void app.request("/auth/session", {}, env)
    expect((await app.request("/auth/session", {}, env)).status).toBe(200)
  })

  it("tries again after a failure", async () => {
    const create = vi.fn(async (_: Bindings) => testConfig()).mockRejectedValueOnce(new Error("no store"))
    const app = new Hono<{ Bindings: Bindings }>().use(HonoAuth(fromBindings(create)))
    app.onError((error, c) => c.text(error.message, 503))
    const env = { SECRET: secret, DB: {} }
    expect((await app.request("/auth/session", {}, env)).status).toBe(503)
    expect((await app.request("/auth/session", {}, env)).status).toBe(200)
  })
})
