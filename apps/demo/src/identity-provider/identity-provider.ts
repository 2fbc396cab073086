import express, { type Express } from "express"
import { stylesheetRoutes } from "../look/stylesheet-routes.js"
import { onlyAsLocalhost } from "../web/guards.js"
import { pageHeaders } from "../web/page-headers.js"
import { loginRoutes } from "./login-routes.js"
import { type OidcNeeds, oidcProvider } from "./oidc.js"

/**
 * The web server of the demo's identity provider: a login page of its own in front of the certified `oidc-provider`.
 */
export function identityProvider(needs: OidcNeeds): Express {
  const provider = oidcProvider(needs)
  const server = express()
  server.disable("x-powered-by")
  server.use(onlyAsLocalhost(needs.issuer))
  server.use(stylesheetRoutes())
  const headers = pageHeaders({ formTargets: [new URL(needs.app.redirectUri).origin] })
  server.use("/login", headers)
  server.use(loginRoutes(provider, needs.people))
  server.use(provider.callback())
  return server
}
