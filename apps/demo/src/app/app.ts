import type { AuthConfig } from "@latchkey/core"
import { auth, ExpressAuth, getSession } from "@latchkey/express"
import express, { type ErrorRequestHandler, type Express, type Request } from "express"
import { inboxRoutes } from "../inbox/inbox.js"
import type { MailStore } from "../inbox/mail-store.js"
import { stylesheetRoutes } from "../theme/stylesheet.js"
import { onlyAsLocalhost, onlyFromOwnPages, pageHeaders } from "../web/middleware.js"
import { type DemoSession, identityProviderId, isDemoSession } from "./auth-config.js"
import { checkEmailRoutes } from "./check-email.js"
import { renderErrorPage, renderHomePage, renderNotFoundPage } from "./pages.js"
import { statementRoutes } from "./statement.js"

export interface AppOptions {
  readonly origin: string
  readonly config: AuthConfig
  readonly mails: MailStore
  readonly identityProviderOrigin: string
}

/** The demo's app: its own pages, and at `/auth` the sign-in service with the account area. */
export function demoApp(options: AppOptions): Express {
  const { origin, config, identityProviderOrigin, mails } = options
  const app = express()
  app.disable("x-powered-by")
  app.use(onlyAsLocalhost(origin))
  app.use(stylesheetRoutes())
  app.use("/auth", ExpressAuth(config))
  // The sign-out of both sites is answered with a redirect to the identity provider.
  app.use(pageHeaders({ formTargets: [identityProviderOrigin] }))
  app.get("/", async (request, response) => {
    const session = await readSession(request, config)
    const sessions = session ? await auth(request, response, config).listSessions() : []
    const isFromProvider = sessions.some(({ isCurrent, provider }) => isCurrent && provider === identityProviderId)
    response.type("html").send(renderHomePage({ session, isFromProvider, identityProviderOrigin }))
  })
  app.post("/sign-out-everywhere", onlyFromOwnPages(origin), async (req, res) => {
    res.redirect(303, await auth(req, res, config).signOut({ redirectTo: "/", atProvider: true }))
  })
  app.use(checkEmailRoutes({ origin, config }))
  app.use(statementRoutes({ origin, config }))
  app.use(inboxRoutes({ mails, isSignedIn: async (request) => (await readSession(request, config)) !== null }))
  app.use((_request, response) => {
    response.status(404).type("html").send(renderNotFoundPage())
  })
  app.use(showError)
  return app
}

async function readSession(request: Request, config: AuthConfig): Promise<DemoSession | null> {
  const session = await getSession(request, config)
  return isDemoSession(session) ? session : null
}

/** Express recognizes an error handler by its four parameters. */
const showError: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const status = isClientError(error) ? error.status : 500
  if (status === 500) console.error(error)
  response.status(status).type("html").send(renderErrorPage())
}

/** Express gives errors of the client, such as a body that is too large, a status below 500. */
function isClientError(error: unknown): error is { readonly status: number } {
  if (typeof error !== "object" || error === null || !("status" in error)) return false
  return typeof error.status === "number" && error.status >= 400 && error.status < 500
}
