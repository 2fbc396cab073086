import { AuthError } from "@latchkey/core/errors"
import {
  bindPublicAuth,
  createWebAuth,
  type GuardedAuth,
  type UserAuth,
  type WebAuth,
} from "@latchkey/core/integration"
import {
  findSettings,
  isPrerender,
  type ReactRouterAuthOptions,
  type ReactRouterConfigSource,
  type RouteArgs,
  type RouteMiddleware,
  toCaller,
} from "./config.js"

const auths = new WeakMap<object, GuardedAuth>()

/** Creates the authentication of a request, for all of its loaders and actions. */
export function initAuth(source: ReactRouterConfigSource, options: ReactRouterAuthOptions, args: RouteArgs): WebAuth {
  const { request, url } = args
  const isNavigation = isDataRequest(args)
  const web = createWebAuth({ request, page: url, isNavigation }, async () => ({
    caller: toCaller(args, options),
    settings: await findSettings(source, args),
  }))
  const visitor = isNavigation ? withReload(web) : web
  auths.set(args.context, isPrerender(args) ? prerendered : visitor)
  return web
}

const prerendered = bindPublicAuth(
  "The page is prerendered, so it has no visitor. Remove it from the option `prerender`",
)

/** Has the browser load the pages of the service: they are no routes of the router in the browser. */
function withReload({ auth, guard, hasRefused }: GuardedAuth): GuardedAuth {
  const reload = <Result>(result: Result): Result => {
    if (result instanceof Response) result.headers.set("x-remix-reload-document", "true")
    return result
  }
  const own: UserAuth = {
    ...auth,
    get session() {
      return auth.session
    },
    requireAuth: async (options) => reload(await auth.requireAuth(options)),
    requireFresh: async (options) => reload(await auth.requireFresh(options)),
  }
  return { auth: own, guard: async () => reload(await guard()), hasRefused }
}

/** Whether the router in the browser asks for a page: it requests its data, at another URL than the page's. */
function isDataRequest({ request, url }: RouteArgs): boolean {
  const { pathname } = new URL(request.url)
  return pathname.endsWith(".data") && pathname !== url.pathname
}

/**
 * The session and the actions of a request, for loaders, actions and middleware.
 * @param context The `context` of their arguments.
 * @throws AuthError if the middleware is not mounted
 * @example
 * export async function loader({ context }: Route.LoaderArgs) {
 *   return { session: await getAuth(context).getSession() }
 * }
 */
export function getAuth(context: RouteArgs["context"]): UserAuth {
  return findAuth(context).auth
}

function findAuth(context: RouteArgs["context"]): GuardedAuth {
  const bound = auths.get(context)
  if (bound) return bound
  throw new AuthError(
    "The request has no authentication. Export `middleware = [auth.middleware]` from app/root.tsx, before middleware that uses it",
  )
}

/**
 * A middleware that requires a session, for the routes that export it and those inside them:
 * `export const middleware = [requireAuth]`. Page loads and navigations are redirected to the sign-in page (303) and return
 * afterwards; every other request gets 401. Errors go to React Router, and the request does not pass.
 *
 * In the browser, React Router calls no middleware for a navigation to routes without a `loader`. Give each route a loader.
 */
export const requireAuth: RouteMiddleware = async (args, next) => {
  return (await findAuth(args.context).guard()) ?? (await next())
}
