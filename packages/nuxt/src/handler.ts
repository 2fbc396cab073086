import { InvalidRequest, UntrustedHost } from "@latchkey/core/errors"
import {
  bindPublicAuth,
  type CookieWriter,
  createWebAuth,
  forbidSharedCaching,
  type GuardedAuth,
  isBelow,
  type ResponseFields,
  serializeCookie,
  toPath,
  type UserAuth,
  type WebAuth,
  type WebVisit,
  warnAtStart,
} from "@latchkey/core/integration"
import { keepPrivate } from "@latchkey/node"
import {
  appendResponseHeader,
  createError,
  type EventHandler,
  eventHandler,
  getRequestHeader,
  getResponseHeader,
  getResponseHeaders,
  type H3Event,
  removeResponseHeader,
  setResponseHeader,
} from "h3"
import { type NuxtAuthSource, readTarget, settingsFinder, toCaller, toHead, toRequest } from "./event.js"

/** Where the endpoints are. */
export interface NuxtAuthOptions {
  /** The public path of the endpoints, with Nuxt's `app.baseURL`. Default: `/api/auth`. */
  readonly mountPath?: string | undefined
}

/** What Nitro's hook `beforeResponse` passes. */
export interface H3Response {
  body?: unknown
}

/** Authentication for h3 1, which Nuxt 4 and Nitro 2 build on. */
export interface NuxtAuth {
  /** The session and the actions of a request. */
  getAuth(event: H3Event): UserAuth
  /**
   * Requires a session in server middleware. A page load is redirected (303) to the sign-in page and returns afterwards;
   * every other request gets 401. The app's own sign-in page (`pages.signIn`) is let through.
   */
  requireAuth(event: H3Event): Promise<Response | undefined>
  /** A middleware that answers requests to the service, and passes others on. */
  readonly handler: EventHandler
  /** For the hook of this name: keeps responses with cookies of the service out of shared caches. */
  beforeResponse(event: H3Event, response: H3Response): void
  /** Whether the response is the same for all visitors: Nitro or the platform caches it, or Nitro prerenders it. */
  isShared(event: H3Event): boolean
  /** Keeps the response out of shared caches, because it contains the session. */
  keepOutOfCaches(event: H3Event): void
}

/**
 * Creates the authentication of an app. The module does so with the app's configuration.
 * @param source The configuration, or a function that returns the one for a request.
 */
export function createNuxtAuth(source: NuxtAuthSource, { mountPath = "/api/auth" }: NuxtAuthOptions = {}): NuxtAuth {
  warnAtStart(source)
  const findSettings = settingsFinder(source, mountPath)
  // By the event: Nitro passes one of its own, without cookies, to cached routes, and shares its context.
  const auths = new WeakMap<H3Event, GuardedAuth>()
  const isPrivate = new WeakSet<H3Event>()

  const createAuth = (event: H3Event, request: Request): WebAuth =>
    createWebAuth(
      { request, page: findPage(event), writer: writerOf(event), setHeaders: setterOf(event) },
      async () => ({
        caller: toCaller(event),
        settings: await findSettings(event),
      }),
    )

  function keepOutOfCaches(event: H3Event): void {
    isPrivate.add(event)
    forbidSharedCaching(fieldsOf(event))
    keepPrivate(event.node.res)
  }

  /** Sets the cookies at once: h3 sends some responses, such as redirects, without calling a hook. */
  const writerOf = (event: H3Event): CookieWriter => ({
    canWrite: () => !event.node.res.headersSent && !isErrorPage(event),
    write(cookies) {
      for (const cookie of cookies) appendResponseHeader(event, "set-cookie", serializeCookie(cookie))
      keepOutOfCaches(event)
    },
  })

  const setterOf = (event: H3Event) => (headers: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(headers)) event.node.res.setHeader(name, value)
  }

  function findAuth(event: H3Event): GuardedAuth {
    const bound = auths.get(event) ?? (isShared(event) ? shared : createAuth(event, toHead(event)))
    auths.set(event, bound)
    return bound
  }

  return {
    getAuth: (event) => findAuth(event).auth,
    requireAuth: async (event) => (await findAuth(event).guard()) ?? undefined,
    isShared,
    keepOutOfCaches,
    handler: eventHandler(async (event) => {
      if (!isBelow(toPath(readTarget(event)), mountPath)) return undefined
      return (await createAuth(event, readRequest(event)).answer()) ?? undefined
    }),
    beforeResponse(event, response) {
      if (!isPrivate.has(event) && !auths.get(event)?.hasRefused()) return
      forbidSharedCaching(fieldsOf(event))
      if (!isResponse(response.body)) return
      // A copy: the headers of some responses are immutable.
      const copy = new Response(response.body.body, response.body)
      forbidSharedCaching(copy.headers)
      response.body = copy
    },
  }
}

/**
 * Whether Nuxt renders its error page, in a request of its own with the cookies that the failed one came with. It adds the cookies
 * of this answer to those that the failed one has set, so that a renewed session would follow a sign-out.
 */
const isErrorPage = ({ path }: H3Event): boolean => path.startsWith("/__nuxt_error")

/** As h3 routes it: the URL of the request has no dot segments, so that a guard would judge another page. */
function findPage(event: H3Event): NonNullable<WebVisit["page"]> {
  const target = readTarget(event)
  const pathname = toPath(target)
  return { pathname, search: target.slice(pathname.length) }
}

/** @throws H3Error 400 for an invalid target, method or host */
function readRequest(event: H3Event): Request {
  try {
    return toRequest(event)
  } catch (cause) {
    if (cause instanceof InvalidRequest || cause instanceof UntrustedHost) throw createError({ statusCode: 400, cause })
    throw cause
  }
}

const shared = bindPublicAuth(
  "The response is cached or prerendered for all visitors. Remove the route from `routeRules`, or read the session in the browser",
)

/** What Nitro knows about the route. */
interface NitroRoute {
  readonly routeRules?: { readonly isr?: unknown } | undefined
}

/**
 * Whether Nitro keeps the response for other visitors, without the cookies of the request, or has the platform keep it
 * (`isr`). Netlify then gets the visitor's cookies, and a header for its cache after all hooks.
 */
function isShared(event: H3Event): boolean {
  if (event.context["cache"] !== undefined || getRequestHeader(event, "x-nitro-prerender") !== undefined) return true
  const route: NitroRoute | undefined = event.context["_nitro"]
  return Boolean(route?.routeRules?.isr)
}

function fieldsOf(event: H3Event): ResponseFields {
  return {
    keys: () => Object.keys(getResponseHeaders(event)),
    get(name) {
      const value = getResponseHeader(event, name)
      return value === undefined ? null : String(value)
    },
    set: (name, value) => setResponseHeader(event, name, value),
    delete: (name) => removeResponseHeader(event, name),
  }
}

/** By its shape: Nitro replaces the global class on some platforms. */
function isResponse(body: unknown): body is Response {
  return typeof body === "object" && body !== null && "headers" in body && "body" in body
}
