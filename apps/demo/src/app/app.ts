import type { AuthConfig } from "@latchkey/core"
import { ExpressAuth, getSession } from "@latchkey/express"
import express, { type ErrorRequestHandler, type Express, type Request } from "express"
import { inboxRoutes } from "../inbox/inbox-routes.js"
import type { MailStore } from "../inbox/mail-store.js"
import { stylesheetRoutes } from "../look/stylesheet-routes.js"
import { onlyAsLocalhost } from "../web/guards.js"
import { pageHeaders } from "../web/page-headers.js"
import { type AccountNeeds, accountRoutes } from "./account-routes.js"
import { renderHomePage } from "./home-page.js"
import { renderCheckEmailPage, renderFailurePage, renderNotFoundPage } from "./message-pages.js"
import { isVisitor, type Visitor } from "./visitor.js"

export interface AppNeeds extends AccountNeeds {
  readonly mails: MailStore
  readonly identityProviderOrigin: string
}

/** The demo's app: pages of its own, with the sign-in service mounted at `/auth`. */
export function demoApp(needs: AppNeeds): Express {
  const { origin, config, identityProviderOrigin } = needs
  const app = express()
  app.disable("x-powered-by")
  app.use(onlyAsLocalhost(origin))
  app.use(stylesheetRoutes())
  app.use("/auth", ExpressAuth(config))
  // The form that adds a way to sign in is answered by a redirect to the identity provider.
  app.use(pageHeaders({ formTargets: [identityProviderOrigin] }))
  app.use("/account", pageHeaders({ formTargets: [identityProviderOrigin], runsScripts: true }))
  app.get("/", async (request, response) => {
    const visitor = await findVisitor(request, config)
    response.type("html").send(renderHomePage({ visitor, identityProviderOrigin }))
  })
  app.get("/check-email", (_request, response) => {
    response.type("html").send(renderCheckEmailPage())
  })
  app.use(accountRoutes(needs))
  app.use(
    inboxRoutes({ mails: needs.mails, isSignedIn: async (request) => (await findVisitor(request, config)) !== null }),
  )
  app.use((_request, response) => {
    response.status(404).type("html").send(renderNotFoundPage())
  })
  app.use(showFailure)
  return app
}

async function findVisitor(request: Request, config: AuthConfig): Promise<Visitor | null> {
  const session = await getSession(request, config)
  return isVisitor(session) ? session : null
}

/** Express takes a function of four parameters for one that answers failures. */
const showFailure: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  const status = isRefusedInput(error) ? error.status : 500
  if (status === 500) console.error(error)
  response.status(status).type("html").send(renderFailurePage())
}

/** Express marks what the browser sent wrongly (a body too large, a malformed path) with a status below 500. */
function isRefusedInput(error: unknown): error is { readonly status: number } {
  if (typeof error !== "object" || error === null || !("status" in error)) return false
  return typeof error.status === "number" && error.status >= 400 && error.status < 500
}
