import { readFileSync } from "node:fs"
import formBody from "@fastify/formbody"
import { AuthError, authPlugin } from "@latchkey/fastify"
import createFastify, { type FastifyReply } from "fastify"
import { authConfig } from "./auth.ts"
import { type LoginQuery, renderHomePage, renderLoginPage, renderPrivatePage } from "./pages.ts"

const { HOST = "localhost", PORT = "3000" } = process.env
const style = readFileSync(new URL("../public/style.css", import.meta.url))
const app = createFastify()
const show = (reply: FastifyReply, page: string) => reply.type("text/html; charset=utf-8").send(page)

await app.register(authPlugin, authConfig)
await app.register(formBody)

app.get("/style.css", async (_request, reply) => reply.type("text/css").send(style))

app.get("/", async ({ auth }, reply) => show(reply, renderHomePage(await auth.getSession())))

app.get<{ Querystring: LoginQuery }>("/login", async ({ query }, reply) => show(reply, renderLoginPage(query)))

app.post<{ Body: Record<string, string> }>("/login", async ({ auth, body }, reply) => {
  const { providerId, redirectTo = "/", ...fields } = body
  try {
    return reply.redirect(await auth.signIn({ providerId, redirectTo, fields }), 303)
  } catch (error) {
    if (!(error instanceof AuthError)) throw error
    return show(reply.code(401), renderLoginPage({ callbackUrl: redirectTo, error: error.type }))
  }
})

app.post("/logout", async ({ auth }, reply) => reply.redirect(await auth.signOut({ redirectTo: "/" }), 303))

app.get("/private", { preHandler: app.requireAuth }, async ({ auth }, reply) => {
  return show(reply, renderPrivatePage(auth.session))
})

console.log(await app.listen({ host: HOST, port: Number(PORT) }))
