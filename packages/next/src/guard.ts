import { InvalidConfiguration, SessionTokenError } from "@latchkey/core/errors"
import {
  appendCookies,
  findOrigin,
  type isServicePath,
  logRejectedRequest,
  type readSession,
  type SessionAnswer,
  type Settings,
  serializeCookie,
} from "@latchkey/core/integration/reader"
import type { AppSession, Awaitable, Optional, ResponseCookie, Session } from "@latchkey/core/types"
import { type NextFetchEvent, type NextRequest, NextResponse } from "next/server.js"
import {
  findReadSettings,
  type NextAuthCallbacks,
  type NextConfigSource,
  readAppPath,
  rejectHost,
  toCaller,
  toContext,
} from "./config.js"

/** The app's own proxy function, for requests that may pass. Returns nothing to let the request through. */
export type ProxyHandler = (session: Session | null) => Awaitable<Response | undefined>

/** A request with the current session; null when signed out. */
export interface NextAuthRequest extends NextRequest {
  auth: AppSession | null
}

/** What `auth` wraps: a route handler, or the function of `proxy.ts`. */
export type AuthHandler<Context> = (
  request: NextAuthRequest,
  context: Context,
  // biome-ignore lint/suspicious/noConfusingVoidType: a proxy function often returns nothing.
) => Awaitable<Response | null | undefined | void>

/** How the guard reads sessions: with the whole service, or with the part that reads and does nothing else. */
export interface SessionReader {
  readonly isServicePath: typeof isServicePath
  readonly readSession: typeof readSession
}

/** A request to the proxy, with its public origin and the settings that apply to it. */
export interface ProxyRequest {
  readonly request: NextRequest
  readonly origin: string
  readonly settings: Settings
}

/**
 * The response of `proxy.ts` (or `middleware.ts`). Requests that `authorized` rejects are redirected to the sign-in page,
 * and renewed session cookies reach both the browser and the pages that render this request.
 *
 * The service's own paths pass without any check: they include the sign-in page, and they renew or end the session
 * themselves.
 * While the store fails, the answer is 503, unless neither `authorized` nor a function of the app decides by the session.
 * @throws AuthError when the configuration is invalid; the request does not pass
 */
export async function guard(
  request: NextRequest,
  source: NextConfigSource,
  reader: SessionReader,
  handler?: ProxyHandler,
): Promise<Response> {
  const { settings, mount, callbacks } = await findReadSettings(source, request)
  if (reader.isServicePath(request.nextUrl.pathname, mount.path, settings.config)) return NextResponse.next()
  const caller = toCaller(request.headers, settings.config)
  let origin: string
  try {
    origin = findOrigin(caller, settings)
  } catch (error) {
    return rejectHost(error)
  }
  let found: SessionAnswer
  try {
    found = await reader.readSession(caller, settings)
  } catch (error) {
    if (!(error instanceof SessionTokenError)) throw error
    // Where nothing decides by the session, the pages do.
    return callbacks?.authorized || handler ? error.getResponse() : NextResponse.next()
  }
  const { session, cookies } = found
  const rejection = await authorize({ request, origin, settings }, session, callbacks)
  const response = rejection ?? (await handler?.(session))
  return response ? withSession(response, request, cookies) : letThrough(request, cookies)
}

/** Calls `authorized`. Returns the response to send instead of the page; undefined lets the request pass. */
async function authorize(
  proxied: ProxyRequest,
  session: Session | null,
  callbacks: Optional<NextAuthCallbacks> | undefined,
): Promise<Response | undefined> {
  if (!callbacks?.authorized) return undefined
  const verdict = await callbacks.authorized({ auth: session, request: proxied.request })
  if (isResponse(verdict)) return withoutLoop(verdict, proxied)
  return verdict || isOpenPage(proxied) ? undefined : redirectToSignIn(proxied)
}

/** Redirects to the sign-in page, and back afterwards. */
export function redirectToSignIn(proxied: ProxyRequest): Response {
  const target = new URL(toSignInPage(proxied.settings), proxied.origin)
  target.searchParams.set("callbackUrl", toPublicUrl(proxied).href)
  // With 307 the browser would repeat a POST, with its form, at the sign-in page.
  const status = isRead(proxied.request) ? 307 : 303
  return new Response(null, { status, headers: { location: target.href, "cache-control": "private, no-store" } })
}

/**
 * The response of `authorized`, unless it redirects a page to itself, which browsers repeat until they give up. An open
 * page is shown then; any other page is refused, since nothing authorized it.
 */
function withoutLoop(verdict: Response, proxied: ProxyRequest): Response | undefined {
  const location = verdict.headers.get("location")
  if (location === null) return verdict
  const here = toPublicUrl(proxied)
  const target = URL.parse(location, here.href)
  if (!target || ![here.origin, proxied.request.nextUrl.origin].includes(target.origin)) return verdict
  const isSamePage = withoutSlash(target.pathname) === withoutSlash(here.pathname)
  if (isSamePage && isOpenPage(proxied)) return undefined
  const isLoop = isSamePage && target.search === here.search && isRead(proxied.request)
  if (!isLoop || verdict.headers.has("set-cookie")) return verdict
  const { config } = proxied.settings
  const message = `callbacks.authorized redirects ${here.pathname} to itself. Return false to require a sign-in, or true to show the page`
  logRejectedRequest(new InvalidConfiguration(message), {
    headers: proxied.request.headers,
    context: toContext(config),
    ...(config.logger && { logger: config.logger }),
  })
  return Response.json({ message: "This page redirects to itself. See the server log." }, { status: 500 })
}

/** Whether the page must stay open to signed-out users: guarding these pages would redirect in circles. */
export function isOpenPage(proxied: ProxyRequest): boolean {
  const { settings, origin, request } = proxied
  const { error, verifyRequest } = settings.config.pages ?? {}
  const inEveryLanguage = `${readAppPath()}${request.nextUrl.pathname}`
  const here = [toPublicUrl(proxied).pathname, inEveryLanguage].map(withoutSlash)
  return [toSignInPage(settings), error, verifyRequest].some((page) => {
    const url = typeof page === "string" ? URL.parse(page, origin) : null // JavaScript hosts may set null.
    // A page of another site does not open the app's page with the same path.
    return url?.origin === origin && here.includes(withoutSlash(url.pathname))
  })
}

function toSignInPage({ config, basePath }: Settings): string {
  return config.pages?.signIn ?? `${basePath}/signin`
}

/** Next leaves its `basePath` and the locale out of every part of its URL but `href`. */
function toPublicUrl({ request, origin }: ProxyRequest): URL {
  const { pathname, search } = new URL(request.nextUrl.href)
  const url = new URL(origin)
  url.pathname = pathname // Set alone: `new URL("//evil.test", origin)` would name another host.
  url.search = search
  return url
}

function withoutSlash(path: string): string {
  return path.replace(/\/$/, "")
}

/** Checks the shape, since `Response` may exist in several copies. Plain JavaScript may return any value. */
function isResponse(verdict: unknown): verdict is Response {
  return typeof verdict === "object" && verdict !== null && "headers" in verdict && "status" in verdict
}

function isRead({ method }: Request): boolean {
  return method === "GET" || method === "HEAD"
}

/** Lets the request through, with renewed session cookies for the browser and for what Next goes on to render. */
function letThrough(request: NextRequest, cookies: readonly ResponseCookie[]): Response {
  if (cookies.length === 0) return NextResponse.next()
  const headers = new Headers(request.headers)
  headers.set("cookie", replaceCookies(request.headers.get("cookie"), cookies))
  const response = NextResponse.next({ request: { headers } })
  appendCookies(response.headers, cookies)
  return response
}

/** How a proxy changes the request headers in Next: one header lists the names, one header each holds a value. */
const overrides = "x-middleware-override-headers"
const overrideOf = (name: string) => `x-middleware-request-${name}`

/** Adds renewed session cookies to the app's own response, and to the request that Next may go on to render. */
function withSession(response: Response, request: NextRequest, cookies: readonly ResponseCookie[]): Response {
  if (cookies.length === 0) return response
  // A copy: the headers of some responses, such as `Response.redirect`, are immutable.
  const answer = new Response(response.body, response)
  appendCookies(answer.headers, cookies)
  const isPassedOn = answer.headers.has("x-middleware-next") || answer.headers.has("x-middleware-rewrite")
  if (isPassedOn) overrideCookies(answer.headers, request, cookies)
  return answer
}

function overrideCookies(answer: Headers, request: NextRequest, cookies: readonly ResponseCookie[]): void {
  const names = answer.get(overrides)
  if (names === null) {
    letThrough(request, cookies).headers.forEach((value, name) => {
      if (name === overrides || name.startsWith(overrideOf(""))) answer.set(name, value)
    })
    return
  }
  const hasCookies = names.split(",").includes("cookie")
  const sent = hasCookies ? answer.get(overrideOf("cookie")) : null
  answer.set(overrideOf("cookie"), replaceCookies(sent, cookies))
  if (!hasCookies) answer.set(overrides, `${names},cookie`)
}

/** The `Cookie` header that the browser would send after a response with these cookies. */
function replaceCookies(sent: string | null, cookies: readonly ResponseCookie[]): string {
  const names = new Set(cookies.map(({ name }) => name))
  const kept = (sent ?? "").split(/; */).filter((pair) => pair !== "" && !names.has(pair.split("=", 1)[0] ?? ""))
  const added = cookies
    .filter(({ value }) => value !== "")
    .map(({ name, value }) => serializeCookie({ name, value, options: {} }))
  return [...kept, ...added].join("; ")
}

/** Calls what `auth` wraps. */
export function toAnswer<Context>(
  handler: AuthHandler<Context>,
  request: NextRequest,
  context: Context,
): (session: AppSession | null) => Promise<Response | undefined> {
  return async (session) => (await handler(withAuth(request, session), context)) ?? undefined
}

/** Sets `auth` on the request itself: Next's request is a proxy with private fields that a copy would lose. */
function withAuth(request: NextRequest, session: AppSession | null): NextAuthRequest {
  return Object.defineProperty(request, "auth", {
    value: session,
    writable: true,
    configurable: true,
  }) as NextAuthRequest // With the `auth` that was just defined.
}

/** Next calls route handlers with `params`, and proxies with an event. */
export function isProxyEvent(context: unknown): context is NextFetchEvent {
  return typeof context === "object" && context !== null && "waitUntil" in context
}
