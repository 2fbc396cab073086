import { testProviderSignOut } from "@latchkey/testkit/integration"
import { type Context, Hono } from "hono"
import { describe, expect, it } from "vitest"
import {
  AuthError,
  authHandler,
  getAuthUser,
  HonoAuth,
  initAuthConfig,
  signIn,
  signOut,
  updateSession,
  verifyAuth,
} from "../src/index.js"
import { visit } from "./browser.js"
import { ada, right, testConfig } from "./config.js"

const sessionCookie = "authjs.session-token"
const sessionLines = (response: Response) =>
  response.headers.getSetCookie().filter((line) => line.startsWith(sessionCookie))

function createApp() {
  const app = new Hono().use(HonoAuth(testConfig()))
  app.post("/login", async (c) => {
    const { username, password } = await c.req.parseBody()
    return c.redirect(await signIn(c, { providerId: "credentials", fields: { username, password } }), 303)
  })
  app.post("/logout", async (c) => c.redirect(await signOut(c, { redirectTo: "/bye" }), 303))
  app.post("/leave", verifyAuth(), async (c) => {
    await signOut(c)
    return c.json(await getAuthUser(c))
  })
  app.post("/name", async (c) => c.json(await updateSession(c, await c.req.json())))
  app.get("/who", async (c) => c.json((await getAuthUser(c))?.user ?? null))
  return app.onError((error, c: Context) => c.json(error instanceof AuthError ? error.type : error.message, 403))
}

describe("signIn", () => {
  it("throws CredentialsSignin for a wrong password", async () => {
    const browser = visit(createApp())
    const body = new URLSearchParams({ username: "ada", password: "wrong" })
    const response = await browser.fetch("/login", { method: "POST", body })
    expect([response.status, await response.json()]).toEqual([403, "CredentialsSignin"])
    expect(await browser.session()).toBeNull()
  })

  it("CSRF-10: rejects a form of another site", async () => {
    const browser = visit(createApp())
    const headers = { origin: "https://evil.test" }
    const response = await browser.fetch("/login", { method: "POST", body: new URLSearchParams(right), headers })
    expect(response.status).toBe(403)
    expect(await browser.session()).toBeNull()
  })

  it("signs in from a form of the app, beginning with the next request", async () => {
    const browser = visit(createApp())
    const response = await browser.fetch("/login", {
      method: "POST",
      body: new URLSearchParams(right),
    })
    expect([response.status, response.headers.get("location")]).toEqual([303, "http://app.test/"])
    expect(await (await browser.fetch("/who")).json()).toEqual(ada)
  })

  it("keeps its cookies when the session of the request is read afterwards", async () => {
    const app = new Hono().use(HonoAuth(testConfig())).post("/", async (c) => {
      await signIn(c, { providerId: "credentials", fields: right })
      return c.json(await getAuthUser(c))
    })
    const headers = { cookie: `${sessionCookie}=forged` }
    const response = await app.request("http://app.test/", { method: "POST", headers })
    expect(await response.json()).toBeNull()
    expect(sessionLines(response)).toEqual([expect.not.stringContaining("Max-Age=0")])
  })

  it("returns the sign-in page without a provider", async () => {
    const app = new Hono().use(HonoAuth(testConfig())).get("/", async (c) => c.text(await signIn(c)))
    expect(await (await app.request("http://app.test/")).text()).toBe("http://app.test/auth/signin?callbackUrl=%2F")
  })
})

describe("signOut", () => {
  it("ends the session", async () => {
    const browser = visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/logout", { method: "POST" })
    expect(response.headers.get("location")).toBe("http://app.test/bye")
    expect(await browser.session()).toBeNull()
  })

  it("keeps its cookies over those of a session that the same request renewed", async () => {
    const browser = visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/leave", { method: "POST" })
    expect(await response.json()).toBeNull()
    expect(sessionLines(response)).toEqual([expect.stringContaining("Max-Age=0")])
    expect(await browser.session()).toBeNull()
  })

  it("is not undone by a middleware that reads the session", async () => {
    const app = new Hono().use(initAuthConfig(testConfig())).use(async (c, next) => {
      await getAuthUser(c)
      await next()
    })
    const browser = visit(app.use("/auth/*", authHandler()))
    await browser.signIn("credentials", right)
    expect(await browser.session()).not.toBeNull()
    await browser.signOut()
    expect(await browser.session()).toBeNull()
  })
})

describe("updateSession", () => {
  it("passes data to the callbacks and saves the new session", async () => {
    const browser = visit(createApp())
    await browser.signIn("credentials", right)
    const response = await browser.fetch("/name", { method: "POST", json: { name: "Countess Ada" } })
    expect(await response.json()).toMatchObject({ user: { name: "Countess Ada" } })
    expect(await (await browser.fetch("/who")).json()).toMatchObject({ name: "Countess Ada" })
  })

  it("returns null when signed out", async () => {
    const browser = visit(createApp())
    expect(await (await browser.fetch("/name", { method: "POST", json: { name: "Eve" } })).json()).toBeNull()
  })
})

describe("signOut with atProvider", () => {
  testProviderSignOut(async ({ config, cookie, atProvider }) => {
    const app = new Hono().use(HonoAuth(config))
    app.post("/logout", async (c) => c.redirect(await signOut(c, { redirectTo: "/bye", atProvider }), 303))
    const left = await app.request("http://app.test/logout", { method: "POST", headers: { cookie } })
    return left.headers.get("location")
  })
})
