import { AuthError } from "@latchkey/core/errors"
import { createPublicAuth, createWebAuth, type UserAuth, type WebAuth } from "@latchkey/core/integration"
import { findSettings, isPrerendering, type StartAuthOptions, type StartConfigSource, toCaller } from "./config.js"

const auths = new WeakMap<Request, UserAuth>()

/** Creates the authentication of a request, for all of its loaders and server functions. */
export function initAuth(source: StartConfigSource, options: StartAuthOptions, request: Request): WebAuth {
  const web = createWebAuth({ request }, async () => ({
    caller: toCaller(request, options),
    settings: await findSettings(source, request),
  }))
  const auth = isPrerendering() ? prerenderedAuth : web.auth
  auths.set(request, auth)
  return { ...web, auth }
}

const prerenderedAuth: UserAuth = createPublicAuth(
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
  const auth = auths.get(request)
  if (auth) return auth
  throw new AuthError(
    "The request has no authentication. Add createMiddleware().server(auth.handle) to requestMiddleware in src/start.ts",
  )
}
