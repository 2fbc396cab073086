import { publicCaching, testGuard } from "@latchkey/testkit/integration"
import createFastify from "fastify"
import { describe, expect, it } from "vitest"
import { type AuthPluginOptions, authPlugin } from "../src/index.js"
import { ada, right, testConfig } from "./config.js"
import { createApp, html, serve, statusOf, visit } from "./serve.js"

async function guarded(options: AuthPluginOptions = testConfig()) {
  const app = createFastify()
  app.setErrorHandler<Error>((error, _request, reply) => reply.code(503).send(error.message))
  await app.register(authPlugin, options)
  app.addHook("onRequest", async (_request, reply) => void reply.headers(publicCaching))
  app.all("/*", { preHandler: app.authenticate }, async (request) => ({ session: request.auth.session }))
  return app
}

describe("authenticate", () => {
  testGuard({
    start: async (config) => serve(await guarded(config)),
    async startBeforeEndpoints(config) {
      const app = createFastify()
      app.setErrorHandler<Error>((error, _request, reply) => reply.code(503).send(error.message))
      await app.register(authPlugin, config)
      app.addHook("preHandler", app.authenticate)
      app.get("/auth/signin", async () => "a page of the app in its place")
      return serve(app)
    },
    failure: [503, "could not be read"],
  })

  it("finds the sign-in page below the prefix", async () => {
    const app = await guarded({ ...testConfig(), prefix: "/api/auth" })
    const response = await app.inject({ url: "/private", headers: html })
    expect(response.headers.location).toBe("/api/auth/signin?callbackUrl=%2Fprivate")
  })

  it.each(["http://user@x/", "ftp://x/", "http:///private"])(
    "CONF-02: is not bypassed by the target %s while the home page is open",
    async (target) => {
      const app = await createApp(testConfig({ pages: { signIn: "/" } }))
      app.all("/*", { preHandler: app.authenticate }, async () => "private")
      const origin = await serve(app)
      expect(await statusOf(origin, target, {})).toBe(400)
      expect(await statusOf(origin, "http://x/private", {})).toBe(401)
      expect(await statusOf(origin, "http://x/", {})).toBe(200)
    },
  )
})

describe("request.session", () => {
  async function createApp(before: boolean) {
    const app = createFastify()
    const own = { id: "of another plugin" }
    if (before) app.decorateRequest("session", { getter: () => own })
    await app.register(authPlugin, testConfig())
    if (!before) app.decorateRequest("session", { getter: () => own })
    app.get("/", { preHandler: app.authenticate }, async (request) => Reflect.get(request, "session"))
    return app
  }

  it("is set by authenticate", async () => {
    const app = createFastify()
    await app.register(authPlugin, testConfig())
    app.get("/", { preHandler: app.authenticate }, async (request) => Reflect.get(request, "session"))
    const browser = await visit(app)
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toMatchObject({ user: ada })
  })

  it.each([true, false])("stays the session of another plugin (registered before: %s)", async (before) => {
    const browser = await visit(await createApp(before))
    expect((await browser.fetch("/")).status).toBe(401)
    await browser.signIn("credentials", right)
    expect(await (await browser.fetch("/")).json()).toEqual({ id: "of another plugin" })
  })
})
