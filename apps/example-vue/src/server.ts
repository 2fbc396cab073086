import { readFileSync } from "node:fs"
import { currentSession, ExpressAuth, requireAuth } from "@latchkey/express"
import express, { type RequestHandler } from "express"
import { authConfig } from "./auth.ts"
import type { PageState } from "./page-state.ts"

const { HOST = "localhost", PORT = "3000" } = process.env
const entry = new URL("../dist/server/entry-server.js", import.meta.url)
const { render }: { render(state: PageState): Promise<string> } = await import(entry.href)
const template = readFileSync(new URL("../dist/client/index.html", import.meta.url), "utf8")

/** Renders the app with the session that a middleware has read. */
const showPage: RequestHandler = async (request, response) => {
  const state: PageState = { path: request.path, session: response.locals["session"] ?? null }
  const content = await render(state)
  // "<" could end the script that holds the state.
  const json = JSON.stringify(state).replaceAll("<", "\\u003c")
  response.send(template.replace("<!--app-->", () => content).replace('"the state of the page"', () => json))
}

const app = express()

app.use("/auth", ExpressAuth(authConfig))
app.use(express.static("dist/client", { index: false }))
app.get("/", currentSession(authConfig), showPage)
app.get("/private", requireAuth(authConfig), showPage)

app.get("/login", (request, response) => {
  const callbackUrl = String(request.query["callbackUrl"] ?? "/")
  response.redirect(303, `/auth/signin?${new URLSearchParams({ callbackUrl })}`)
})

app.listen(Number(PORT), HOST, () => console.log(`http://${HOST}:${PORT}`))
