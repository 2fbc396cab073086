import type { AppSession } from "@latchkey/core"
import { AuthError, SessionTokenError } from "@latchkey/core/errors"
import {
  bindAuth,
  forbidSharedCachingFromNowOn,
  type SessionAnswer,
  type Settings,
  serializeCookie,
  type UserAuth,
} from "@latchkey/core/integration"
import { type QwikEvent, toCaller } from "./config.js"

/** By their maps: the events of one request share it. */
const auths = new WeakMap<QwikEvent["sharedMap"], UserAuth<never>>()

/** The `auth` of an event. The first call for a request binds it. */
export function bindEvent(event: QwikEvent, settings: Settings): UserAuth<never> {
  const auth = auths.get(event.sharedMap) ?? createAuth(event, settings)
  auths.set(event.sharedMap, auth)
  return auth
}

/** The data of a page, which Qwik's client requests when it navigates without loading the page. */
const dataFile = /\/q-data\.json$/

function createAuth(event: QwikEvent, settings: Settings): UserAuth<never> {
  const { request, url } = event
  return bindAuth<never>({
    findCaller: () => ({ caller: toCaller(event), settings }),
    readTarget: () => `${url.pathname}${url.search}`,
    isNavigation: dataFile.test(new URL(request.url).pathname),
    writer: {
      canWrite: () => event.headersSent !== true,
      write: (cookies) => setCookies(event, cookies),
    },
    setHeaders(headers) {
      for (const [name, value] of Object.entries(headers)) event.headers.set(name, value)
    },
    refuse(refusal) {
      forbidSharedCachingFromNowOn(event.headers)
      const location = refusal.headers.get("location")
      throw location === null ? event.send(refusal) : event.redirect(303, location)
    },
  }).auth
}

/**
 * Returns the session, the actions and the signed-in user of a request, for its loaders, actions and endpoints. `requireAuth`
 * and `requireFresh` throw Qwik's answer to a request that they refuse.
 * @throws Error if `onRequest` of `QwikAuth$` has not seen the request
 * @example
 * export const useSessions = routeLoader$((event) => getAuth(event).listSessions())
 * export const usePayment = routeLoader$((event) => getAuth(event).requireFresh({ maxAgeSeconds: 600, factors: 2 }))
 */
export function getAuth({ sharedMap }: Pick<QwikEvent, "sharedMap">): UserAuth<never> {
  const auth = auths.get(sharedMap)
  if (auth) return auth
  throw new Error(
    "The request has no authentication settings. Export onRequest of QwikAuth$ from src/routes/plugin@auth.ts",
  )
}

/**
 * Stores the current session in `sharedMap`, under `session`, and renews its cookie. Stores null when signed out, and
 * when the configuration is invalid; undefined while the store fails, when nobody knows whether the visitor is signed in.
 */
export async function shareSession(event: QwikEvent, settings: Settings): Promise<void> {
  event.sharedMap.set("session", await findSession(bindEvent(event, settings)))
}

async function findSession(auth: UserAuth<never>): Promise<AppSession | null | undefined> {
  try {
    return await auth.getSession()
  } catch (error) {
    if (error instanceof SessionTokenError) return undefined
    if (error instanceof AuthError) return null
    throw error
  }
}

/**
 * Sets cookies, and keeps the response out of shared caches: layouts often call `cacheControl` afterwards.
 *
 * Sets them as Qwik City itself copies those of a `Response`: the name, then the value with its attributes. Its
 * servers would send only one of several cookies in `event.headers`.
 */
export function setCookies(event: Pick<QwikEvent, "cookie" | "headers">, cookies: SessionAnswer["cookies"]): void {
  if (cookies.length > 0) forbidSharedCachingFromNowOn(event.headers)
  for (const cookie of cookies) {
    const text = serializeCookie(cookie)
    const equals = text.indexOf("=")
    event.cookie.set(text.slice(0, equals), text.slice(equals + 1))
  }
}
