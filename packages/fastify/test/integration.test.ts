import { publicCaching, testIntegration } from "@latchkey/testkit/integration"
import createFastify from "fastify"
import { authPlugin } from "../src/index.js"
import { listen } from "./serve.js"

const formType = "application/x-www-form-urlencoded"

testIntegration({
  name: "Fastify",
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting: 'createFastify({ trustProxy: "<address of the proxy>" })',
  start: async (config) => {
    const app = createFastify()
    await app.register(authPlugin, config)
    // Registered after the plugin, so it has the last word about the headers of Fastify.
    app.addHook("onSend", async (request, reply) => {
      if (request.url === "/cached" || reply.hasHeader("set-cookie")) reply.headers(publicCaching)
    })
    app.get("/cached", async (request) => {
      await request.auth.getSession()
      return "the app"
    })
    app.addContentTypeParser(formType, { parseAs: "string" }, async (_request: unknown, body: string) =>
      Object.fromEntries(new URLSearchParams(body)),
    )
    app.post<{ Body: Record<string, string> }>("/login", async ({ auth, body }, reply) => {
      const { providerId, redirectTo, ...fields } = body
      return reply.redirect(await auth.signIn({ providerId, redirectTo, fields }), 303)
    })
    return await listen(app)
  },
})

testIntegration({
  isOtherMount: true,
  name: "Fastify below a scope with parsers of its own",
  basePath: "/shop/auth",
  start: async (config) => {
    const app = createFastify()
    app.addContentTypeParser(formType, { parseAs: "string" }, (_request, _body, done) => {
      done(null, "parsed by the app")
    })
    await app.register(
      async (shop) => {
        await shop.register(authPlugin, { ...config, prefix: "/auth" })
      },
      { prefix: "/shop" },
    )
    return await listen(app)
  },
})
