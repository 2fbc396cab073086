import createFastify from "fastify"
import { describe, expect, it } from "vitest"
import { authPlugin } from "../src/index.js"
import { right, testConfig } from "./config.js"
import { createApp, serve, visit } from "./serve.js"

describe("request.auth", () => {
  it("signs out at the endpoint behind a hook that reads the session", async () => {
    const app = createFastify()
    await app.register(authPlugin, testConfig())
    app.addHook("onRequest", async ({ auth }) => void (await auth.getSession()))
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    expect(await browser.session()).not.toBeNull()
    await browser.signOut()
    expect(await browser.session()).toBeNull()
  })

  it.each([
    ["a wrong password", "", 401],
    ["a form of another site", "https://evil.test", 403],
  ])("answers %s with a status of its own if the app does not catch the error", async (_, foreign, status) => {
    const app = await createApp()
    app.post("/login", async ({ auth }) => auth.signIn({ providerId: "credentials", fields: { password: "wrong" } }))
    const origin = await serve(app)
    const response = await fetch(`${origin}/login`, { method: "POST", headers: { origin: foreign || origin } })
    expect([response.status, await response.json()]).toEqual([status, expect.objectContaining({ statusCode: status })])
  })

  it("is undefined outside of the scope in which the plugin is registered", async () => {
    const app = createFastify()
    await app.register(async (scope) => void (await scope.register(authPlugin, testConfig())))
    app.get("/", async (request) => ({ has: "auth" in request }))
    expect((await app.inject("/")).json()).toEqual({ has: false })
  })
})
