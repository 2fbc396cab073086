import { requireFresh as requireFreshOf } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { type QwikEvent, toCaller } from "./config.js"
import { type SessionEvent, settingsOfEvent } from "./user-sessions.js"

/** The event of a loader, an action or an endpoint. */
export type AnsweringEvent = SessionEvent & Pick<QwikEvent, "redirect" | "send">

/** The data of a page, which Qwik's client requests when it navigates without loading the page. */
const dataFile = /\/q-data\.json$/

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactor`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session. Otherwise throws Qwik's answer: a page is redirected (303) to the page that asks, other clients get
 *   403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * export const usePayment = routeLoader$((event) => requireFresh(event, { maxAgeSeconds: 600, factors: 2 }))
 */
export async function requireFresh(event: AnsweringEvent, options: RequireFreshOptions = {}): Promise<FreshSession> {
  const { request, url } = event
  const caller = toCaller(event)
  const headers = new Headers(caller.headers)
  if (dataFile.test(new URL(request.url).pathname)) headers.set("accept", "text/html")
  const target = `${url.pathname}${url.search}`
  const fresh = await requireFreshOf({ ...caller, headers }, settingsOfEvent(event), { ...options, target })
  if (!(fresh instanceof Response)) return fresh
  const location = fresh.headers.get("location")
  throw location === null ? event.send(fresh) : event.redirect(303, location)
}
