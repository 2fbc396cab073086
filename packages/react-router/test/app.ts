import { type Browser, createBrowser } from "@latchkey/testkit"
import { integrationConfig, integrationUser } from "@latchkey/testkit/integration"
import { createRequestHandler, RouterContextProvider, type ServerBuild } from "react-router"
import {
  ReactRouterAuth,
  type ReactRouterAuthConfig,
  type ReactRouterAuthOptions,
  type RouteArgs,
  type RouteMiddleware,
} from "../src/index.js"

export const origin = "http://app.test"
export const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }

const { username, password, name, email } = integrationUser

/** The user of the tests. */
export const ada = { name, email }
/** Signs in that user. */
export const right = { username, password }

/** The configuration of the shared suite. Frozen, because the app's object must not be written to. */
export function testConfig(changes: Partial<ReactRouterAuthConfig> = {}): ReactRouterAuthConfig {
  return Object.freeze({ ...integrationConfig(), basePath: "/auth", ...changes })
}

/** A route of the app. A page has a component; without one it is a resource route. */
export interface TestRoute {
  readonly loader?: (args: RouteArgs) => unknown
  readonly action?: (args: RouteArgs) => unknown
  readonly middleware?: readonly RouteMiddleware[]
  readonly headers?: Readonly<Record<string, string>>
  readonly isPage?: boolean
  /** The id of the route that this one is inside. Default: the root. */
  readonly parent?: string
  /** Default: the name of the route. */
  readonly path?: string
}

interface AppOptions extends ReactRouterAuthOptions {
  /** The errors that React Router caught. */
  readonly errors?: unknown[]
  readonly isMounted?: boolean
}

/** Creates an app with React Router's own server code, as its build does, and the endpoints at `/auth/*`. */
export function createApp(
  config: ReactRouterAuthConfig,
  routes: Readonly<Record<string, TestRoute>> = {},
  { errors = [], isMounted = true, ...options }: AppOptions = {},
) {
  const auth = ReactRouterAuth(config, options)
  const all: Record<string, TestRoute> = { "auth/*": { loader: auth.handler, action: auth.handler }, ...routes }
  const root = { id: "root", path: "", module: { default: Page, middleware: isMounted ? [auth.middleware] : [] } }
  const entries = Object.entries(all).map(([id, route]) => [
    id,
    { ...toRoute(id, route), parentId: route.parent ?? "root" },
  ])
  const manifest = { version: "1", url: "/manifest.js", entry: { module: "/entry.js", imports: [] }, routes: {} }
  const build = {
    entry: {
      module: {
        default: (_: Request, status: number, headers: Headers, { staticHandlerContext }: PageContext) => {
          headers.set("content-type", "application/json")
          return new Response(JSON.stringify(staticHandlerContext.loaderData), { status, headers })
        },
        handleError: (error: unknown) => void errors.push(error),
      },
    },
    routes: { root, ...Object.fromEntries(entries) },
    assets: manifest,
    publicPath: "/",
    assetsBuildDirectory: "",
    future: {},
    ssr: true,
    isSpaMode: false,
    prerender: [],
    routeDiscovery: { mode: "lazy", manifestPath: "/__manifest" },
  }
  const handle = createRequestHandler(build as unknown as ServerBuild, "production")
  return (request: Request, context: RouterContextProvider = new RouterContextProvider()): Promise<Response> =>
    handle(request, context)
}

interface PageContext {
  readonly staticHandlerContext: { readonly loaderData: object }
}

function Page(): null {
  return null
}

function toRoute(id: string, { isPage, headers, path = id, ...module }: TestRoute): object {
  const page = isPage ? { default: Page, ...(headers && { headers: () => headers }) } : {}
  return { id, path, module: { ...module, ...page } }
}

/** Opens a browser that calls the app without a network. */
export function visit(app: (request: Request) => Promise<Response>): Browser {
  return createBrowser({ handler: (request) => app(request), origin, basePath: "/auth" })
}
