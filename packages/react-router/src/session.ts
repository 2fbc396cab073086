import { AuthError } from "@latchkey/core/errors"
import { createWebAuth, type UserAuth, type WebAuth } from "@latchkey/core/integration"
import {
  findSettings,
  isPrerender,
  type ReactRouterAuthOptions,
  type ReactRouterConfigSource,
  type RouteArgs,
  toCaller,
} from "./config.js"

const auths = new WeakMap<object, UserAuth>()

/** Creates the authentication of a request, for all of its loaders and actions. */
export function initAuth(source: ReactRouterConfigSource, options: ReactRouterAuthOptions, args: RouteArgs): WebAuth {
  const { request, url } = args
  const isNavigation = isDataRequest(args)
  const web = createWebAuth({ request, page: url, isNavigation }, async () => ({
    caller: toCaller(args, options),
    settings: await findSettings(source, args),
  }))
  // There is no visitor, and perhaps no secret.
  const auth = isPrerender(args) ? { ...web.auth, session: null, getSession: async () => null } : web.auth
  auths.set(args.context, auth)
  return { ...web, auth }
}

/** Whether the router in the browser asks for a page: it requests its data, at another URL than the page's. */
export function isDataRequest({ request, url }: RouteArgs): boolean {
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
  const auth = auths.get(context)
  if (auth) return auth
  throw new AuthError(
    "The request has no authentication. Export `middleware = [auth.middleware]` from app/root.tsx, before middleware that uses it",
  )
}
