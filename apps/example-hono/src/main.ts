import { serve } from "@hono/node-server"
import { serveStatic } from "@hono/node-server/serve-static"
import { AuthError, getAuthUser, HonoAuth, requireAuth } from "@latchkey/hono"
import { Hono } from "hono"
import { csrf } from "hono/csrf"
import { authConfig } from "./auth.ts"
import { renderHomePage, renderLoginPage, renderPrivatePage } from "./pages.ts"

const { HOST = "localhost", PORT = "3000", AUTH_URL } = process.env
const app = new Hono()

app.use(HonoAuth(authConfig))
// Behind a proxy, the app's own origin differs from the public one.
app.use(csrf(AUTH_URL ? { origin: new URL(AUTH_URL).origin } : {}))
app.get("/style.css", serveStatic({ root: "public" }))

app.get("/", async (c) => c.html(renderHomePage(await getAuthUser(c))))

app.get("/login", (c) => c.html(renderLoginPage(c.req.query())))

app.post("/login", async (c) => {
  const { providerId, redirectTo, ...fields } = await c.req.parseBody<Record<string, string>>()
  try {
    return c.redirect(await c.var.auth.signIn({ providerId, redirectTo: redirectTo ?? "/", fields }), 303)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return c.html(renderLoginPage({ callbackUrl: redirectTo, error: error.type }), 401)
  }
})

app.post("/logout", async (c) => c.redirect(await c.var.auth.signOut({ redirectTo: "/" }), 303))

app.get("/private", requireAuth(), (c) => c.html(renderPrivatePage(c.get("authUser"))))

serve({ fetch: app.fetch, hostname: HOST, port: Number(PORT) }, () => console.log(`http://${HOST}:${PORT}`))
