import { readFileSync } from "node:fs"
import { bodyParser } from "@koa/bodyparser"
import Router from "@koa/router"
import { AuthError, KoaAuth, requireAuth } from "@latchkey/koa"
import Koa from "koa"
import { authConfig } from "./auth.ts"
import { type LoginQuery, renderHomePage, renderLoginPage, renderPrivatePage } from "./pages.ts"

const { HOST = "localhost", PORT = "3000" } = process.env
const style = readFileSync(new URL("../public/style.css", import.meta.url))
const router = new Router()

router.get("/style.css", (ctx) => {
  ctx.type = "css"
  ctx.body = style
})

router.get("/", async (ctx) => {
  ctx.body = renderHomePage(await ctx.auth.getSession())
})

router.get("/login", (ctx) => {
  ctx.body = renderLoginPage(ctx.query as LoginQuery)
})

router.post("/login", bodyParser(), async (ctx) => {
  const { providerId, redirectTo = "/", ...fields } = ctx.request.body as Record<string, string>
  try {
    const url = await ctx.auth.signIn({ providerId, redirectTo, fields })
    ctx.status = 303
    ctx.redirect(url)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    ctx.status = 401
    ctx.body = renderLoginPage({ callbackUrl: redirectTo, error: error.type })
  }
})

router.post("/logout", async (ctx) => {
  const url = await ctx.auth.signOut({ redirectTo: "/" })
  ctx.status = 303
  ctx.redirect(url)
})

router.get("/private", requireAuth(), (ctx) => {
  ctx.body = renderPrivatePage(ctx.auth.session)
})

const app = new Koa()
app.use(KoaAuth(authConfig)).use(router.routes())
app.listen(Number(PORT), HOST, () => console.log(`http://${HOST}:${PORT}`))
