import { AuthError, ElysiaAuth, requireAuth } from "@latchkey/elysia"
import { Elysia, file, t } from "elysia"
import { authConfig } from "./auth.ts"
import { renderHomePage, renderLoginPage, renderPrivatePage } from "./pages.ts"

const { HOST = "localhost", PORT = "3000" } = process.env
const html = { "content-type": "text/html; charset=utf-8" }
const seeOther = (location: string) => new Response(null, { status: 303, headers: { location } })

const app = new Elysia()
  .use(ElysiaAuth(authConfig))
  .get("/style.css", () => file("public/style.css"))
  .get("/", async ({ auth }) => new Response(renderHomePage(await auth.getSession()), { headers: html }))
  .get("/login", ({ query }) => new Response(renderLoginPage(query), { headers: html }))
  .post(
    "/login",
    async ({ auth, body }) => {
      const { providerId, redirectTo = "/", ...fields } = body
      try {
        return seeOther(await auth.signIn({ providerId, redirectTo, fields }))
      } catch (error) {
        if (!(error instanceof AuthError)) throw error
        const page = renderLoginPage({ callbackUrl: redirectTo, error: error.type })
        return new Response(page, { status: 401, headers: html })
      }
    },
    { body: t.Record(t.String(), t.String()) },
  )
  .post("/logout", async ({ auth }) => seeOther(await auth.signOut({ redirectTo: "/" })))
  .get("/private", ({ auth }) => new Response(renderPrivatePage(auth.session), { headers: html }), {
    beforeHandle: requireAuth,
  })

app.listen({ hostname: HOST, port: Number(PORT) }, () => console.log(`http://${HOST}:${PORT}`))
