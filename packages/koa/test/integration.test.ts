import { listen, publicCaching, testIntegration } from "@latchkey/testkit/integration"
import { KoaAuth } from "../src/index.js"
import { bodyOf, bodyParser, koas, mount } from "./koas.js"

const proxySetting = "new Koa({ proxy: true, maxIpsCount: 1 })"

for (const { name, Koa } of koas) {
  testIntegration({
    name,
    cachedPage: "/cached",
    signInForm: "/login",
    warnsAtStart: true,
    proxySetting,
    start(config) {
      const app = new Koa()
      app.silent = true
      // Mounted before the service, so it has the last word about the headers.
      app.use(async (ctx, next) => {
        await next()
        if (ctx.path === "/cached" || ctx.response.get("set-cookie")) ctx.set(publicCaching)
      })
      app.use(KoaAuth(config)).use(bodyParser())
      app.use(async (ctx, next) => {
        if (ctx.path !== "/cached") return await next()
        await ctx.auth.getSession()
        ctx.body = "the app"
      })
      app.use(async (ctx, next) => {
        if (ctx.path !== "/login") return await next()
        const { providerId, redirectTo, ...fields } = bodyOf(ctx)
        try {
          ctx.redirect(await ctx.auth.signIn({ providerId, redirectTo, fields }))
        } catch (error) {
          ctx.status = 403
          ctx.body = error instanceof Error ? error.name : "unknown"
        }
      })
      return listen(app.callback())
    },
  })

  testIntegration({
    isOtherMount: true,
    name: `${name} in an app below a path, behind a body parser`,
    basePath: "/shop/auth",
    start(config) {
      const shop = new Koa().use(KoaAuth({ ...config, basePath: "/shop/auth" }))
      const app = new Koa().use(bodyParser()).use(mount("/shop", shop))
      app.silent = true
      return listen(app.callback())
    },
  })
}
