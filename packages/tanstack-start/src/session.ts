import { AuthError } from "@latchkey/core/errors"
import {
  bindPublicAuth,
  createWebAuth,
  type GuardedAuth,
  type UserAuth,
  type WebAuth,
} from "@latchkey/core/integration"
import { findSettings, isPrerendering, type StartAuthOptions, type StartConfigSource, toCaller } from "./config.js"

const auths = new WeakMap<Request, GuardedAuth>()

/** Creates the authentication of a request, for all of its loaders and server functions. */
export function initAuth(source: StartConfigSource, options: StartAuthOptions, request: Request): WebAuth {
  const web = createWebAuth({ request }, async () => ({
    caller: toCaller(request, options),
    settings: await findSettings(source, request),
  }))
  const bound = isPrerendering() ? { ...web, ...prerendered } : web
  auths.set(request, bound)
  return bound
}

const prerendered = bindPublicAuth(
  "The page is prerendered, so it has no visitor. Remove it from the option `prerender`",
)

/**
 * The session and the actions of a request, for server functions and server routes.
 * @param request The result of `getRequest()`.
 * @throws AuthError if the middleware is not mounted
 * @example
 * const findUser = createServerFn().handler(async () => (await getAuth(getRequest()).getSession())?.user ?? null)
 */
export function getAuth(request: Request): UserAuth {
  return findAuth(request).auth
}

/** @throws AuthError if the middleware is not mounted */
export function findAuth(request: Request): GuardedAuth {
  const bound = auths.get(request)
  if (bound) return bound
  throw new AuthError(
    "The request has no authentication. Add createMiddleware().server(auth.handle) to requestMiddleware in src/start.ts",
  )
}
