import { currentSession, ExpressAuth, requireAuth } from "@latchkey/express"
import express from "express"
import { authConfig } from "./auth.ts"
import { renderHomePage, renderPrivatePage } from "./pages.ts"
import { showProfile } from "./profile.ts"
import { sessionRoutes } from "./sessions.ts"

const { HOST = "localhost", PORT = "3000" } = process.env
const app = express()

app.use("/auth", ExpressAuth(authConfig))
app.use(express.static("public"))

app.get("/", currentSession(authConfig), (_request, response) => {
  response.send(renderHomePage(response.locals.session))
})

app.get("/login", (request, response) => {
  const callbackUrl = String(request.query["callbackUrl"] ?? "/")
  response.redirect(303, `/auth/signin?${new URLSearchParams({ callbackUrl })}`)
})

app.get("/private", requireAuth(authConfig), (_request, response) => {
  response.send(renderPrivatePage(response.locals.session))
})

app.get("/profile", requireAuth(authConfig), showProfile)

app.use("/sessions", requireAuth(authConfig), sessionRoutes)

app.listen(Number(PORT), HOST, () => console.log(`http://${HOST}:${PORT}`))
