import { requireFresh } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { isRead, redirectTo } from "./actions.js"
import { findSettings, type NextConfigSource, toCaller } from "./config.js"
import { readCurrentRequest } from "./session.js"

/** Requires recent proofs, for server components and actions. */
export interface Freshness {
  /**
   * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactor`,
   * whose page `confirm` asks again, or `session.track`. Otherwise redirects to the page that asks. It comes back to
   * `callbackUrl`; by default to the page that called an action, and from a component to the app's root. In a route handler
   * for scripts, call `requireFresh(request, config, options)` of `@latchkey/core/sessions`.
   */
  requireFresh(options?: RequireFreshOptions): Promise<FreshSession>
}

export function createFreshness(source: NextConfigSource): Freshness {
  return {
    async requireFresh(options = {}) {
      const [{ headers }, { settings }] = await Promise.all([readCurrentRequest(), findSettings(source)])
      const method = isRead(headers) ? "GET" : "POST"
      headers.set("accept", "text/html")
      const fresh = await requireFresh({ ...toCaller(headers, settings.config), method }, settings, options)
      if (!(fresh instanceof Response)) return fresh
      return redirectTo(fresh.headers.get("location") ?? "/")
    },
  }
}
