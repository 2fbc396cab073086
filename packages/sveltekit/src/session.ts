import {
  bindAuth,
  bindPublicAuth,
  type Caller,
  type CookieWriter,
  type GuardedAuth,
  type Settings,
  serializeCookie,
  unsetCookie,
} from "@latchkey/core/integration"
import type { ResponseCookie } from "@latchkey/core/types"
import { type Cookies, error, type RequestEvent, redirect } from "@sveltejs/kit"
import { isPrerender, toCaller } from "./config.js"

/** The authentication of one request. */
export interface RequestAuth extends Pick<GuardedAuth<never>, "auth"> {
  readonly caller: Caller
  readonly settings: Settings
  /** As in `BoundAuth`. */
  takeCookies(sent: readonly string[]): readonly string[]
  /** As in `BoundAuth`. */
  takeHeaders(): Readonly<Record<string, string>>
  /** Whether SvelteKit's response is for this visitor alone: it sets cookies of the service, or refuses the request. */
  isPrivate(): boolean
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

const prerendered = {
  ...bindPublicAuth("The page is prerendered, so it has no visitor. Remove: export const prerender = true"),
  takeCookies: () => [],
  takeHeaders: () => ({}),
  isPrivate: () => false,
}

function createRequestAuth(event: RequestEvent, settings: Settings): RequestAuth {
  const caller = toCaller(event)
  if (isPrerender(event)) return { ...prerendered, caller, settings }
  let isChanged = false
  const sent = new Set<string>()
  // Loaders run in parallel, and SvelteKit throws for a header that is set already.
  const setHeader = (name: string, value: string) => {
    if (!sent.has(name)) event.setHeaders({ [name]: value })
    sent.add(name)
  }
  const writer: CookieWriter = {
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
      isChanged = true
    },
  }
  const { auth, takeCookies, takeHeaders, hasRefused } = bindAuth<never>({
    findCaller: () => ({ caller: isChanged ? withCookies(caller, event.cookies) : caller, settings }),
    readTarget() {
      // The event of a remote function has the page that the browser names.
      const { pathname, search } = event.isRemoteRequest ? new URL(event.request.url) : event.url
      return `${pathname}${search}`
    },
    // SvelteKit's client requests the data of a page when it navigates without loading the page.
    isNavigation: event.isDataRequest,
    writer,
    hasJar: true,
    refuse: (refusal) => throwRefusal(refusal, setHeader),
  })
  return { auth, caller, settings, takeCookies, takeHeaders, isPrivate: () => isChanged || hasRefused() }
}

/** @throws SvelteKit's redirect or error */
async function throwRefusal(refusal: Response, setHeader: (name: string, value: string) => void): Promise<never> {
  const location = refusal.headers.get("location")
  if (location !== null) redirect(303, location, { external: true })
  for (const name of ["www-authenticate", "retry-after"]) {
    const value = refusal.headers.get(name)
    if (value !== null) setHeader(name, value)
  }
  const { error: code, message = code, url } = await refusal.json()
  if (url === undefined) error(refusal.status, message)
  // Version 2 knows no third argument, and version 3 warns of this form in development.
  // as: the app may have declared fields of its own.
  error(refusal.status, { message, url } as unknown as App.Error)
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
