import { publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { AuthModule } from "../src/index.js"
import { createApp, listen, platforms, type Route } from "./app.js"

const routes: readonly Route[] = [
  {
    path: "cached",
    async handle({ auth, reply }) {
      await auth.getSession()
      for (const [name, value] of Object.entries(publicCaching)) reply.header(name, value)
      return "the app"
    },
  },
  {
    path: "login",
    method: "POST",
    async handle({ auth, body: { providerId, redirectTo, ...fields }, reply }) {
      try {
        reply.status(303).header("location", await auth.signIn({ providerId, redirectTo, fields }))
      } catch {
        reply.status(403)
      }
      reply.send()
    },
  },
]

for (const { name, createAdapter } of platforms) {
  testIntegration({
    name,
    cachedPage: "/cached",
    signInForm: "/login",
    warnsAtStart: true,
    proxySetting: "AuthModule.forRoot(config, { trustProxy: true })",
    start: async (config) => listen(await createApp(createAdapter(), { auth: AuthModule.forRoot(config), routes })),
  })

  testIntegration({
    isOtherMount: true,
    name: `${name} with a global prefix, raw bodies and a configuration from a factory`,
    basePath: "/shop/auth",
    start: async (config) => {
      const auth = AuthModule.forRootAsync({ useFactory: async () => ({ ...config, basePath: "/shop/auth" }) })
      const app = await createApp(createAdapter(), { auth, routes, options: { rawBody: true } })
      return await listen(app.setGlobalPrefix("api"))
    },
  })
}
