import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  endOtherSessions as endOthersOf,
  endSession as endSessionOf,
  getAccessToken as getTokenOf,
  listSessions as listSessionsOf,
  requireFresh as requireFreshOf,
  type Settings,
  type SignOutEverywhereOptions,
  signOutEverywhere as signOutUser,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions, SessionView } from "@latchkey/core/sessions"
import { type QwikEvent, toCaller } from "./config.js"
import { type CookieEvent, setCookies } from "./session.js"

/** The event of a loader, an action or an endpoint. Call these functions on the server, inside of one of them. */
export type SessionEvent = Pick<QwikEvent, "clientConn" | "request" | "sharedMap" | "url">

/**
 * Lists the live sessions of the signed-in user: the current one first, then the last used. Empty when signed out. Needs
 * `session.track`.
 * @throws AuthError when the configuration is invalid or without `session.track`, or the store fails
 * @example
 * export const useSessions = routeLoader$((event) => listSessions(event))
 */
export async function listSessions(event: SessionEvent): Promise<readonly SessionView[]> {
  return listSessionsOf(toCaller(event), settingsOfEvent(event))
}

/**
 * Ends one session of the signed-in user.
 * @param id From {@link listSessions}.
 * @returns false when signed out, and for an id that is not one of the user's sessions
 * @throws FreshnessRequired for another session, unless the user proved who they are in the last ten minutes
 */
export async function endSession(event: SessionEvent, id: string): Promise<boolean> {
  return endSessionOf(toCaller(event), settingsOfEvent(event), id)
}

/**
 * Ends all sessions of the signed-in user but the current one.
 * @returns how many it ended; 0 when signed out
 * @throws FreshnessRequired unless the user proved who they are in the last ten minutes
 */
export async function endOtherSessions(event: SessionEvent): Promise<number> {
  return endOthersOf(toCaller(event), settingsOfEvent(event))
}

/**
 * Ends all sessions of a user, such as when you disable an account. Asks for no sign-in: call it from code of your own.
 * @returns how many it ended
 */
export async function signOutEverywhere(
  event: SessionEvent,
  userId: string,
  options?: SignOutEverywhereOptions,
): Promise<number> {
  return signOutUser(settingsOfEvent(event), userId, options)
}

/** By their maps: the events of one request share it. */
const settingsByMap = new WeakMap<QwikEvent["sharedMap"], Settings>()

/** Keeps the settings of a request for the functions above, whose callers do not have the configuration. */
export function rememberSettings({ sharedMap }: Pick<QwikEvent, "sharedMap">, settings: Settings): void {
  settingsByMap.set(sharedMap, settings)
}

/** @throws Error if `onRequest` of `QwikAuth$` has not seen the request */
function settingsOfEvent({ sharedMap }: SessionEvent): Settings {
  const settings = settingsByMap.get(sharedMap)
  if (settings) return settings
  throw new Error(
    "The request has no authentication settings. Export onRequest of QwikAuth$ from src/routes/plugin@auth.ts",
  )
}

/** The same, for a function that answers by itself. */
export type AnsweringEvent = SessionEvent & Pick<QwikEvent, "redirect" | "send">

/** The data of a page, which Qwik's client requests when it navigates without loading the page. */
const dataFile = /\/q-data\.json$/

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
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

/** The event of a loader, an action or an endpoint. */
export type TokenEvent = SessionEvent & CookieEvent & { readonly headersSent?: boolean }

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 * @example
 * export const useFiles = routeLoader$(async (event) => listFiles(await getAccessToken(event, { provider: "google" })))
 */
export async function getAccessToken(event: TokenEvent, options: AccessTokenOptions): Promise<AccessToken> {
  return getTokenOf(toCaller(event), settingsOfEvent(event), options, {
    canWrite: () => event.headersSent !== true,
    write: (cookies) => setCookies(event, cookies),
  })
}
