import { takingForms, testFormActions } from "@latchkey/testkit/integration"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { authHandler, getAuthUser, HonoAuth, initAuthConfig, signIn, signOut, updateSession } from "../src/index.js"
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

describe("signIn, signOut and updateSession for forms", () => {
  testFormActions(
    (config, answer) => {
      const app = new Hono().use(HonoAuth(config)).all("/form", (c) => {
        const auth = takingForms({
          getSession: async () => (await getAuthUser(c))?.session ?? null,
          signIn: (options) => signIn(c, options),
          signOut: (options) => signOut(c, options),
          updateSession: (data) => updateSession(c, data),
        })
        return answer(auth)
      })
      return { origin: "http://app.test", handler: (request) => Promise.resolve(app.fetch(request)) }
    },
    { needsOrigin: false },
  )
})
