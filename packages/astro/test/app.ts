import { type Browser, createBrowser } from "@latchkey/testkit"
import { integrationConfig, integrationUser } from "@latchkey/testkit/integration"
import type { UserAuth } from "../src/index.js"
import { AstroAuth, type AstroAuthConfig, type AstroContext, type AstroMiddleware } from "../src/index.js"

export const origin = "http://app.test"
export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

const { username, password, name, email } = integrationUser

/** The user of the tests. */
export const ada = { name, email }
/** Signs in that user. */
export const right = { username, password }

/** The configuration of the shared suite. Frozen, because the app's object must not be written to. */
export function testConfig(changes: Partial<AstroAuthConfig> = {}): AstroAuthConfig {
  return Object.freeze({ ...integrationConfig(), ...changes })
}

/** What the middleware sets. */
interface Locals {
  auth: UserAuth
}

/** A page or endpoint of the app. */
export type Page = (auth: UserAuth, context: AstroContext) => Promise<Response | null>

/** Creates the context of a request as Astro does. The pattern of the route is the decoded path. */
export function createContext(
  request: Request,
  changes: Partial<AstroContext> = {},
): AstroContext & { readonly locals: Locals } {
  const url = new URL(request.url)
  const locals = {} as Locals // The middleware sets them.
  const routePattern = decodeURIComponent(url.pathname)
  return { request, url, clientAddress: "192.0.2.1", isPrerendered: false, routePattern, ...changes, locals }
}

/** Runs middlewares in order, as Astro does, and then the page of the path; without one, it answers 404. */
export function createApp(
  config: AstroAuthConfig,
  pages: Readonly<Record<string, Page>> = {},
  ...middlewares: readonly AstroMiddleware[]
) {
  const auth = AstroAuth(config, { mountPath: "/auth" })
  return (request: Request, changes: Partial<AstroContext> = {}): Promise<Response> => {
    const context = createContext(request, changes)
    const run = async ([first, ...rest]: readonly AstroMiddleware[]): Promise<Response> => {
      if (first) return first(context, () => run(rest))
      const answer = await pages[context.routePattern]?.(context.locals.auth, context)
      return answer ?? new Response("the app", { status: 404 })
    }
    return run([auth, ...middlewares])
  }
}

/** Opens a browser that calls the app without a network. */
export function visit(app: (request: Request) => Promise<Response>): Browser {
  return createBrowser({ handler: app, origin, basePath: "/auth" })
}
