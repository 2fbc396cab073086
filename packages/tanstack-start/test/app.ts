import { type Browser, createBrowser } from "@latchkey/testkit"
import { integrationConfig, integrationUser } from "@latchkey/testkit/integration"
import { StartAuth, type StartAuthConfig, type StartAuthOptions, type UserAuth } from "../src/index.js"

export const origin = "http://app.test"

const { username, password, name, email } = integrationUser

/** The user of the tests. */
export const ada = { name, email }
/** Signs in that user. */
export const right = { username, password }

/** The configuration of the shared suite. Frozen, because the app's object must not be written to. */
export function testConfig(changes: Partial<StartAuthConfig> = {}): StartAuthConfig {
  return Object.freeze({ ...integrationConfig(), basePath: "/auth", ...changes })
}

/** A page, server function or server route of the app. */
export type Route = (auth: UserAuth, request: Request) => Promise<Response | null>

/** Runs the middleware as TanStack Start does, and then the route of the path; without one, it answers 404. */
export function createApp(
  config: StartAuthConfig,
  routes: Readonly<Record<string, Route>> = {},
  options: StartAuthOptions = {},
) {
  const { handle } = StartAuth(config, options)
  return async (request: Request): Promise<Response> => {
    const result = await handle({
      request,
      next: async ({ context }) => {
        const route = routes[new URL(request.url).pathname]
        const response = (await route?.(context.auth, request)) ?? new Response("the app", { status: 404 })
        return { request, context, response }
      },
    })
    return result instanceof Response ? result : result.response
  }
}

/** Opens a browser that calls the app without a network. */
export function visit(app: (request: Request) => Promise<Response>): Browser {
  return createBrowser({ handler: app, origin, basePath: "/auth" })
}
