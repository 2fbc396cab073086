import { isBelow } from "@latchkey/core/integration"
import type { AstroContext } from "./config.js"
import { type AstroMiddleware, findAuth } from "./handler.js"

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
  return isBelow(routePattern, route.replace(/\/+$/, ""))
}
