import { publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { ElysiaAuth } from "../src/index.js"
import { createApp, listen } from "./serve.js"

const proxySetting = "ElysiaAuth(config, { trustProxy: true })"

testIntegration({
  name: "Elysia on Node",
  cachedPage: "/cached",
  signInForm: "/login",
  warnsAtStart: true,
  proxySetting,
  start(config) {
    const app = createApp()
      .use(ElysiaAuth(config))
      .get("/cached", async ({ auth, set }) => {
        await auth.getSession()
        Object.assign(set.headers, publicCaching)
        return "the app"
      })
      .post("/login", async ({ auth, body, status }) => {
        const { providerId, redirectTo, ...fields } = body as Record<string, string>
        try {
          return Response.redirect(await auth.signIn({ providerId, redirectTo, fields }), 303)
        } catch (error) {
          return status(403, error instanceof Error ? error.name : "unknown")
        }
      })
    return listen(app)
  },
})

testIntegration({
  isOtherMount: true,
  name: "Elysia on Node without compiled handlers, with a page that makes its own response",
  basePath: "/shop/auth",
  cachedPage: "/shop/cached",
  start(config) {
    const app = createApp({ aot: false })
      .use(ElysiaAuth({ ...config, basePath: "/shop/auth" }))
      .get("/shop/cached", async ({ auth }) => {
        await auth.getSession()
        return new Response("the app", { headers: publicCaching })
      })
    return listen(app)
  },
})
