import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { authHandler, getAuthUser, HonoAuth, initAuthConfig } from "../src/index.js"
import { visit } from "./browser.js"
import { ada, right, testConfig } from "./config.js"

function createApp() {
  const app = new Hono().use(HonoAuth(testConfig()))
  app.post("/login", async (c) => {
    const { username, password } = await c.req.parseBody()
    return c.redirect(await c.get("auth").signIn({ providerId: "credentials", fields: { username, password } }), 303)
  })
  app.post("/logout", async (c) => c.redirect(await c.get("auth").signOut({ redirectTo: "/bye" }), 303))
  app.get("/who", async (c) => c.json((await getAuthUser(c))?.user ?? null))
  return app
}

describe("signIn", () => {
  it("signs in from a form of the app, beginning with the next request", async () => {
    const browser = visit(createApp())
    const response = await browser.fetch("/login", {
      method: "POST",
      body: new URLSearchParams(right),
    })
    expect([response.status, response.headers.get("location")]).toEqual([303, "http://app.test/"])
    expect(await (await browser.fetch("/who")).json()).toEqual(ada)
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
