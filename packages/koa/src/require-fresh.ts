import { requireFresh as requireFreshOf } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { readTarget } from "@latchkey/node"
import type { Context } from "koa"
import { send } from "./handler.js"
import { getState } from "./session.js"

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactor`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session. Null if the context has the response: a page is redirected (303) to the page that asks, other
 *   clients get 403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh(ctx, { maxAgeSeconds: 600, factors: 2 })
 * if (!session) return
 */
export async function requireFresh(ctx: Context, options: RequireFreshOptions = {}): Promise<FreshSession | null> {
  const { caller, settings } = await getState(ctx).findCaller()
  const fresh = await requireFreshOf(caller, settings, { ...options, target: readTarget(ctx) })
  if (!(fresh instanceof Response)) return fresh
  send({ status: fresh.status, headers: [...fresh.headers], body: (await fresh.text()) || null }, ctx)
  return null
}
