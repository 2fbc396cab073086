// An Express app that moved: endpoints below a wildcard, a middleware for the session, and one that guards pages.

import GitHub from "@latchkey/core/providers/github"
import Google from "@latchkey/core/providers/google"
import { ExpressAuth, type ExpressAuthConfig, getSession } from "@latchkey/express"
import express, { type NextFunction, type Request, type Response } from "express"

const app = express()
const port = process.env.PORT || 3000

app.set("trust proxy", true)
app.set("views", "views")
app.use(express.urlencoded({ extended: true }))

const authConfig: ExpressAuthConfig = {
  providers: [
    Google,
    GitHub({
      clientId: process.env.GITHUB_ID,
      clientSecret: process.env.GITHUB_SECRET,
      allowDangerousEmailAccountLinking: true,
    }),
  ],
  callbacks: {
    session({ session, token }) {
      if (token.sub) session.user.id = token.sub
      return session
    },
  },
}

app.use("/auth/*", ExpressAuth(authConfig))

export async function currentUser(req: Request, res: Response, next: NextFunction) {
  const session = (await getSession(req, authConfig)) ?? undefined
  res.locals.session = session
  return next()
}

export async function authenticatedUser(req: Request, res: Response, next: NextFunction) {
  const session = res.locals.session ?? (await getSession(req, authConfig))
  if (!session?.user) res.redirect("/login")
  else next()
}

app.use(currentUser)
app.get("/profile", authenticatedUser, (_req: Request, res: Response) => {
  const { session } = res.locals
  res.render("profile", { user: session?.user })
})
app.get("/api/me", async (req, res) => {
  const session = await getSession(req, authConfig)
  if (!session) res.status(401).json({ error: "Not authenticated" })
  else res.json({ name: session.user?.name, email: session.user?.email, expires: session.expires })
})
app.listen(port, () => console.log(`Listening on http://localhost:${port}`))
