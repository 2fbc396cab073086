import {
  findSession,
  forbidSharedCachingFromNowOn,
  type SessionAnswer,
  type Settings,
  serializeCookie,
} from "@latchkey/core/integration"
import { type QwikEvent, toCaller } from "./config.js"

/**
 * Stores the current session in `sharedMap`, under `session`, and renews its cookie. Stores null when signed out, and
 * when the session cannot be read.
 */
export async function shareSession(event: QwikEvent, settings: Settings): Promise<void> {
  const { session, cookies } = await findSession(toCaller(event), settings)
  event.sharedMap.set("session", session)
  setCookies(event, cookies)
}

/** The part of an event that sets cookies. */
export type CookieEvent = Pick<QwikEvent, "cookie" | "headers">

/**
 * Sets cookies, and keeps the response out of shared caches: layouts often call `cacheControl` afterwards.
 *
 * Sets them as Qwik City itself copies those of a `Response`: the name, then the value with its attributes. Its
 * servers would send only one of several cookies in `event.headers`.
 */
export function setCookies(event: CookieEvent, cookies: SessionAnswer["cookies"]): void {
  if (cookies.length > 0) forbidSharedCachingFromNowOn(event.headers)
  for (const cookie of cookies) {
    const text = serializeCookie(cookie)
    const equals = text.indexOf("=")
    event.cookie.set(text.slice(0, equals), text.slice(equals + 1))
  }
}
