import type { SessionOf } from "@latchkey/core"
import {
  appendCookies,
  bindAuth,
  forbidSharedCachingFromNowOn,
  readSession,
  rememberCookies,
  type UserAuth,
} from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import { canSetCookies, findSettings, type SolidAuthConfig, type SolidEvent, toCaller } from "./config.js"

/**
 * Reads the current session.
 * @param source A request, or its event (`getRequestEvent()`). With an event, SolidStart's response also sets the renewed
 *   session cookie, unless the stream of a page has begun.
 * @returns The session, or null when signed out.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getSession<Config extends SolidAuthConfig>(
  source: Request | SolidEvent,
  config: Config,
): Promise<SessionOf<Config> | null> {
  const event = "request" in source ? source : { request: source }
  const { session, cookies } = await readSession(toCaller(event), findSettings(config))
  if (event.response && canSetCookies(event) && cookies.length > 0) writeCookies(event.response.headers, cookies)
  return session as SessionOf<Config> | null // as: what the callback of this configuration returned.
}

function writeCookies(headers: Headers, cookies: readonly ResponseCookie[]): void {
  appendCookies(headers, cookies)
  forbidSharedCachingFromNowOn(headers)
}

const auths = new WeakMap<object, Map<SolidAuthConfig, UserAuth>>()

/**
 * Returns the session, the actions and the signed-in user of a request. Its members set cookies on SolidStart's response, so
 * they need an event for that, and have to be called before the stream of a page begins.
 *
 * A server function for a form of yours should call {@link signIn} and {@link signOut} instead: SolidStart sends thrown
 * errors to the browser.
 * @param source A request, or its event (`getRequestEvent()`).
 * @example
 * const session = await auth(event, config).requireFresh({ maxAgeSeconds: 600, factors: 2 })
 * if (session instanceof Response) return session
 */
export function auth(source: Request | SolidEvent, config: SolidAuthConfig): UserAuth {
  const known = auths.get(source) ?? new Map<SolidAuthConfig, UserAuth>()
  const own = known.get(config) ?? bind("request" in source ? source : { request: source }, config)
  auths.set(source, known.set(config, own))
  return own
}

function bind(event: SolidEvent, config: SolidAuthConfig): UserAuth {
  const { request, response } = event
  return bindAuth<Response>({
    findCaller: () => ({ caller: toCaller(event), settings: findSettings(config) }),
    refuse(refusal) {
      if (response) forbidSharedCachingFromNowOn(response.headers)
      return refusal
    },
    readTarget() {
      const { pathname, search } = new URL(request.url)
      return `${pathname}${search}`
    },
    writer: {
      canWrite: () => canSetCookies(event),
      write(cookies) {
        if (!response || !canSetCookies(event)) throw new TypeError(noResponse)
        writeCookies(response.headers, cookies)
        rememberCookies(request, cookies)
      },
    },
    setHeaders(headers) {
      for (const [name, value] of Object.entries(headers)) response?.headers.set(name, value)
    },
  }).auth
}

const noResponse =
  "There is no response that could set cookies. Pass getRequestEvent(), and call this before the stream of a page begins"
