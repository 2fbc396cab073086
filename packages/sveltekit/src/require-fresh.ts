import { requireFresh } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { error, type RequestEvent, redirect } from "@sveltejs/kit"
import type { FindRequestAuth } from "./session.js"

/** Requires that users have recently confirmed who they are, for hooks, loaders, actions and endpoints. */
export interface Freshness {
  /**
   * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
   * whose page `confirm` asks again, or `session.track`. Otherwise throws SvelteKit's redirect (303) to the page that asks;
   * for clients that are no pages its error 403, or 401 when signed out, with `url` in the body.
   */
  requireFresh(event: RequestEvent, options?: RequireFreshOptions): Promise<FreshSession>
}

export function createFreshness(find: FindRequestAuth): Freshness {
  return {
    async requireFresh(event, options = {}) {
      const { caller, settings } = await find(event)
      const headers = new Headers(caller.headers)
      // SvelteKit's client requests the data of a page when it navigates without loading the page.
      if (event.isDataRequest) headers.set("accept", "text/html")
      const target = `${event.url.pathname}${event.url.search}`
      const fresh = await requireFresh({ ...caller, headers, method: event.request.method }, settings, {
        ...options,
        target,
      })
      if (!(fresh instanceof Response)) return fresh
      const location = fresh.headers.get("location")
      if (location !== null) redirect(303, location, { external: true })
      const challenge = fresh.headers.get("www-authenticate")
      if (challenge !== null) event.setHeaders({ "www-authenticate": challenge })
      const { error: message, url } = await fresh.json()
      // as: the app may have declared fields of its own.
      error(fresh.status, { message, url } as unknown as App.Error)
    },
  }
}
