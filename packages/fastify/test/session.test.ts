import createFastify from "fastify"
import { describe, expect, it } from "vitest"
import { authPlugin } from "../src/index.js"
import { right, testConfig } from "./config.js"
import { visit } from "./serve.js"

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

  it("is undefined outside of the scope in which the plugin is registered", async () => {
    const app = createFastify()
    await app.register(async (scope) => void (await scope.register(authPlugin, testConfig())))
    app.get("/", async (request) => ({ has: "auth" in request }))
    expect((await app.inject("/")).json()).toEqual({ has: false })
  })
})
