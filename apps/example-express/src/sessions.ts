import { AuthError, auth } from "@latchkey/express"
import express, { type ErrorRequestHandler, type RequestHandler, Router } from "express"
import { authConfig } from "./auth.ts"
import { renderSessionsPage } from "./pages.ts"

/** The page of the user's sessions, and its forms. */
export const sessionRoutes = Router()

sessionRoutes.get("/", async (request, response) => {
  const sessions = await auth(request, response, authConfig).listSessions()
  response.send(renderSessionsPage(sessions, request.query["error"] === "FreshnessRequired"))
})

/** Browsers send the session cookie with forms of other subdomains, too. */
const onlyOwnForms: RequestHandler = (request, response, next) => {
  if (request.get("sec-fetch-site") === "same-origin") next()
  else response.status(403).send("This form belongs to another site.")
}

sessionRoutes.use(onlyOwnForms, express.urlencoded())

sessionRoutes.post("/end", async (request, response) => {
  await auth(request, response, authConfig).endSession(String(request.body.id))
  response.redirect(303, "/sessions")
})

sessionRoutes.post("/end-others", async (request, response) => {
  await auth(request, response, authConfig).endOtherSessions()
  response.redirect(303, "/sessions")
})

/** A thief of the cookie must not sign out its owner, so ending other sessions needs a recent sign-in. */
const askToSignInAgain: ErrorRequestHandler = (error, _request, response, next) => {
  const isTooOld = error instanceof AuthError && error.type === "FreshnessRequired"
  if (isTooOld) response.redirect(303, `/sessions?error=${error.type}`)
  else next(error)
}

sessionRoutes.use(askToSignInAgain)
