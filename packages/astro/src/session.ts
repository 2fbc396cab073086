import type { Session } from "@latchkey/core"
import type { AstroContext } from "./config.js"
import { findAuth } from "./handler.js"

/**
 * Returns the current session, like `Astro.locals.auth.getSession()`. Reads it once for each request, and renews its cookie.
 * @param source `Astro`, the context of an endpoint or action, or its request.
 * @returns null when signed out, and on prerendered pages
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getSession(source: Request | Pick<AstroContext, "request">): Promise<Session | null> {
  return findAuth(source).getSession()
}
