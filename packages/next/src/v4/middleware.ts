// Imported as `@latchkey/next/v4/middleware`, in place of `next-auth/middleware`.

import { findOrigin, isBelow, settingsOf } from "@latchkey/core/integration/reader"
import { type GetTokenParams, type JWT, type JWTOptions, getToken as readToken } from "@latchkey/core/jwt"
import type { Awaitable, CookieOption } from "@latchkey/core/types"
import { type NextFetchEvent, type NextRequest, NextResponse } from "next/server.js"
import { findSettings, type NextAuthConfig, rejectHost, toCaller } from "../config.js"
import { isOpenPage, type ProxyRequest, redirectToSignIn } from "../guard.js"

/** The options of `withAuth`. Set what differs from the defaults in the options of `NextAuth` too. */
export interface NextAuthMiddlewareOptions {
  /** The pages that stay open, and the one to sign in at. */
  readonly pages?: NextAuthConfig["pages"]
  /** The name of the session cookie. */
  readonly cookies?: { readonly sessionToken?: Pick<CookieOption, "name"> | undefined } | undefined
  /** Reads session tokens of the app's own format. */
  readonly jwt?: Pick<JWTOptions, "decode"> | undefined
  /** Decides which requests may pass. */
  readonly callbacks?: NextAuthMiddlewareCallbacks | undefined
  /** The readers of `session.accept`, for browsers that have a cookie of version 4 and were not at the service yet. */
  readonly accept?: GetTokenParams["accept"]
  /** Default: `AUTH_SECRET`, else `NEXTAUTH_SECRET`. */
  readonly secret?: NextAuthConfig["secret"]
}

/** The callbacks of `withAuth`. */
export interface NextAuthMiddlewareCallbacks {
  /** @returns Whether the request may pass. Default: with a valid token. */
  readonly authorized?:
    | ((params: { readonly token: JWT | null; readonly req: NextRequest }) => Awaitable<boolean>)
    | undefined
}

/** A request that was let through, with its token. */
export interface NextRequestWithAuth extends NextRequest {
  nextauth: { token: JWT | null }
}

/** The app's own function, for requests that may pass. */
export type NextMiddlewareWithAuth = (
  request: NextRequestWithAuth,
  event: NextFetchEvent,
  // biome-ignore lint/suspicious/noConfusingVoidType: a middleware often returns nothing.
) => Awaitable<Response | null | undefined | void>

type Middleware = (request: NextRequest, event: NextFetchEvent) => Promise<Response>

/**
 * The middleware of version 4: redirects requests without a session token to the sign-in page. Needs sessions in the cookie
 * (`strategy: "jwt"`). It decrypts the token, and calls no callback of `NextAuth`, extends no session and does not notice that
 * a tracked session has ended.
 *
 * All paths below the base path stay open, and so do the sign-in and error pages and Next's own files.
 * @example export { default } from "@latchkey/next/v4/middleware"
 * @example export default withAuth({ callbacks: { authorized: ({ token }) => token?.role === "admin" } })
 */
export function withAuth(request: NextRequest, event: NextFetchEvent): Promise<Response>
export function withAuth(request: NextRequest, options?: NextAuthMiddlewareOptions): Promise<Response>
export function withAuth(middleware: NextMiddlewareWithAuth, options?: NextAuthMiddlewareOptions): Middleware
export function withAuth(options?: NextAuthMiddlewareOptions): Middleware
export function withAuth(
  first: NextRequest | NextMiddlewareWithAuth | NextAuthMiddlewareOptions = {},
  second: NextFetchEvent | NextAuthMiddlewareOptions = {},
): unknown {
  const options = "waitUntil" in second ? {} : second
  if (typeof first === "function") {
    return (request: NextRequest, event: NextFetchEvent) =>
      guard(request, options, (token) => first(Object.assign(request, { nextauth: { token } }), event))
  }
  if ("nextUrl" in first) return guard(first, options)
  return (request: NextRequest) => guard(request, first)
}

export { withAuth as default }

type Passed = (token: JWT | null) => ReturnType<NextMiddlewareWithAuth>

async function guard(request: NextRequest, options: NextAuthMiddlewareOptions, pass?: Passed): Promise<Response> {
  const { secret, pages, jwt, cookies, accept } = options
  const { settings, mount } = await findSettings({ providers: [], secret, ...(pages && { pages }) }, request)
  const path = request.nextUrl.pathname
  if (isBelow(path, mount.path) || isFileOfNext(path)) return NextResponse.next()
  let origin: string
  try {
    origin = findOrigin(toCaller(request.headers, settings.config), settings)
  } catch (error) {
    return rejectHost(error)
  }
  const proxied: ProxyRequest = { request, origin, settings }
  if (isOpenPage(proxied)) return NextResponse.next()
  const token = await readToken({
    req: request,
    secret: settings.config.secret,
    secureCookie: origin.startsWith("https:"),
    cookieName: cookies?.sessionToken?.name,
    decode: jwt?.decode,
    accept,
  })
  const isAuthorized = (await options.callbacks?.authorized?.({ token, req: request })) ?? token !== null
  if (!isAuthorized) return redirectToSignIn(proxied)
  return (await pass?.(token)) ?? NextResponse.next()
}

/** The files of a build. `/_next/data` has the content of pages. */
function isFileOfNext(path: string): boolean {
  return path === "/favicon.ico" || (path.startsWith("/_next/") && !path.startsWith("/_next/data/"))
}

/**
 * Reads the session token as in version 4: the secret comes from the environment, and `NEXTAUTH_URL` or `AUTH_URL` says whether
 * the cookie has the name of https. See `getToken` of `@latchkey/core/jwt`.
 */
export function getToken(params: GetTokenParams<true> & { readonly raw: true }): Promise<string | null>
export function getToken<Payload extends JWT = JWT>(params: GetTokenParams<false>): Promise<Payload | null>
export function getToken(params: GetTokenParams): Promise<JWT | string | null> {
  const { env } = process
  const { config, origin } = settingsOf({ providers: [] }, { env })
  return readToken({
    ...params,
    secret: params.secret ?? config.secret,
    secureCookie: params.secureCookie ?? origin?.startsWith("https:") ?? Boolean(env["VERCEL"]),
  })
}
