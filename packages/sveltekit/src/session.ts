import type { Session } from "@latchkey/core"
import {
  type Caller,
  type CookieWriter,
  readSession,
  type SessionAnswer,
  type Settings,
  serializeCookie,
  unsetCookie,
} from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import type { Cookies, RequestEvent } from "@sveltejs/kit"
import { isPrerender, toCaller } from "./config.js"

/** The authentication state of one request. */
export interface RequestAuth {
  readonly caller: Caller
  readonly settings: Settings
  /**
   * Returns the current session, or null when signed out. Reads it once, and again after an action has changed it.
   * @throws AuthError when the session cannot be read
   */
  getSession(): Promise<Session | null>
  /** The cookies that reading the session has renewed; none before it was read. */
  renewedCookies(): readonly ResponseCookie[]
  /** Whether the response sets cookies that SvelteKit has added. */
  hasSetCookies(): boolean
  /** Sets the cookies of an action, which may have changed the session. */
  setCookies(cookies: readonly ResponseCookie[]): void
  /** Sets cookies that have nothing to do with the session. */
  readonly writer: CookieWriter
}

/** Finds the state of an event's request: the same object until the request ends. */
export type FindRequestAuth = (event: RequestEvent) => Promise<RequestAuth>

/** Creates the `FindRequestAuth` of an app. */
export function requestAuthFinder(findSettings: (event: RequestEvent) => Promise<Settings>): FindRequestAuth {
  // By their cookies: SvelteKit passes different event objects to the hooks, actions and loaders of one request.
  const known = new WeakMap<Cookies, Promise<RequestAuth>>()
  const create = async (event: RequestEvent) => createRequestAuth(event, await findSettings(event))
  return (event) => {
    const auth = known.get(event.cookies) ?? create(event)
    known.set(event.cookies, auth)
    return auth
  }
}

/** How far the session of a request has been read. */
interface Progress {
  readonly answer?: Promise<SessionAnswer>
  readonly renewed: readonly ResponseCookie[]
  /** Whether an action has set cookies, which then differ from those of the request. */
  readonly isChanged: boolean
}

function createRequestAuth(event: RequestEvent, settings: Settings): RequestAuth {
  const caller = toCaller(event)
  let progress: Progress = { renewed: [], isChanged: false }
  let hasWritten = false

  async function read(): Promise<SessionAnswer> {
    const before = progress
    const answer = await readSession(before.isChanged ? withCookies(caller, event.cookies) : caller, settings)
    // The cookies of an action that ended in the meantime take precedence.
    if (before.isChanged === progress.isChanged) progress = { ...progress, renewed: answer.cookies }
    return answer
  }

  return {
    caller,
    settings,
    async getSession() {
      if (isPrerender(caller)) return null
      const answer = progress.answer ?? read()
      progress = { ...progress, answer }
      return (await answer).session
    },
    renewedCookies: () => progress.renewed,
    hasSetCookies: () => progress.isChanged || hasWritten,
    setCookies(cookies) {
      progress = { renewed: [], isChanged: true }
      setCookies(event.cookies, cookies)
    },
    writer: {
      canWrite() {
        try {
          setCookies(event.cookies, [unsetCookie])
          return true
        } catch {
          return false // SvelteKit has created the response.
        }
      },
      write(cookies) {
        setCookies(event.cookies, cookies)
        hasWritten = true
      },
    },
  }
}

/** The caller with the cookies as an action has changed them. */
function withCookies(caller: Caller, jar: Cookies): Caller {
  const headers = new Headers(caller.headers)
  const pairs = jar.getAll().map(({ name, value }) => serializeCookie({ name, value, options: {} }))
  headers.set("cookie", pairs.join("; "))
  return { ...caller, headers }
}

type KitOptions = Parameters<Cookies["set"]>[2] & { readonly path: string }

/**
 * Sets cookies in SvelteKit's jar, so that the app's own code sees them.
 * @internal Exported for its tests.
 */
export function setCookies(jar: Cookies, cookies: readonly ResponseCookie[]): void {
  for (const { name, value, options } of cookies) jar.set(name, value, toKitOptions(options))
}

/** Sets every attribute explicitly, since SvelteKit has defaults for missing ones. */
function toKitOptions(options: ResponseCookie["options"]): KitOptions {
  const { path = "/", httpOnly = false, secure = false, sameSite = false, partitioned = false } = options
  const { domain, expires, maxAge, priority } = options
  return {
    ...{ path, httpOnly, secure, sameSite, partitioned },
    ...(domain && { domain }),
    ...(expires && { expires }),
    ...(maxAge !== undefined && { maxAge: Math.floor(maxAge) }), // SvelteKit throws for fractions of a second.
    ...(priority && { priority }),
  }
}
