import type { AppSession } from "@latchkey/core"
import { AuthError } from "@latchkey/core/errors"
import { type GuardedAuth, isBelow, trimPath } from "@latchkey/core/integration"
import type { AstroContext, AstroMiddleware } from "./config.js"

const auths = new WeakMap<object, GuardedAuth>()

/** Makes a request's authentication known to pages. */
export function setAuth(context: AstroContext, bound: GuardedAuth): void {
  Object.assign(context.locals, { auth: bound.auth })
  auths.set(context.request, bound)
  // A page that middleware rewrites the request to, by `next("/path")`, has another request and the same locals.
  auths.set(context.locals, bound)
}

/** The context of a page, endpoint or action, or a part of it. */
type AuthSource = Pick<AstroContext, "request"> & { readonly locals?: AstroContext["locals"] | undefined }

/** @throws AuthError if the integration is not installed */
function findAuth(source: Request | AuthSource): GuardedAuth {
  const auth = "request" in source ? (auths.get(source.request) ?? auths.get(source.locals ?? {})) : auths.get(source)
  if (auth) return auth
  throw new AuthError(
    "The request has no authentication. Add latchkey() to `integrations` in astro.config, and use the request of the page",
  )
}

/**
 * Returns the current session, like `Astro.locals.auth.getSession()`. Reads it once for each request, and renews its cookie.
 * @param source `Astro`, the context of an endpoint or action, or its request.
 * @returns null when signed out, and on prerendered pages
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getSession(source: Request | AuthSource): Promise<AppSession | null> {
  return findAuth(source).auth.getSession()
}

/**
 * Requires a session for routes: `export const onRequest = requireAuth("/private", "/account")` in `src/middleware.ts`.
 * Page loads are redirected to the sign-in page (303) and return afterwards; every other request gets 401. Errors go to
 * Astro, and the request does not pass.
 * @param routes Each with all routes below it, as their files name them, without Astro's `base`. Default: every route.
 * @throws AuthError for a prerendered route, which is sent to everyone
 */
export function requireAuth(...routes: readonly string[]): AstroMiddleware {
  return async (context, next) => {
    if (routes.length > 0 && !routes.some((route) => covers(route, context))) return await next()
    return (await findAuth(context).guard()) ?? (await next())
  }
}

/** By the pattern of the route that Astro has chosen: the path of the URL has several spellings. */
function covers(route: string, { routePattern }: AstroContext): boolean {
  return isBelow(routePattern, trimPath(route))
}
