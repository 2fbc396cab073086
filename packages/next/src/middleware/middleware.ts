import { deriveConfigs, isServicePath, readSession } from "@latchkey/core/integration/reader"
import type { NextFetchEvent, NextRequest } from "next/server.js"
import type { NextAuthConfig, NextConfigSource } from "../config.js"
import { type AuthHandler, guard, isProxyEvent, type SessionReader, toAnswer } from "../guard.js"

/**
 * The part of the configuration that a middleware needs: all but the providers, which sign users in. It may have them, so that
 * a configuration with providers fits as well.
 */
export interface NextMiddlewareConfig extends Omit<NextAuthConfig, "providers"> {
  providers?: NextAuthConfig["providers"] | undefined
}

/** A configuration, or a function that returns one for each request. Return the same object as often as possible. */
export type NextMiddlewareSource =
  | NextMiddlewareConfig
  | ((request: NextRequest | undefined) => NextMiddlewareConfig | PromiseLike<NextMiddlewareConfig>)

/** What `NextAuth` of this entry returns. */
export interface NextMiddlewareResult {
  readonly auth: MiddlewareFunction
}

/**
 * Guards requests. Their sessions are extended, and `callbacks.authorized` decides which of them pass.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export interface MiddlewareFunction {
  /** The function of `middleware.ts` itself: `export { auth as middleware }`. */
  (request: NextRequest, event: NextFetchEvent): Promise<Response>
  /** Wraps a function of `middleware.ts`, and sets `request.auth`. */
  (handler: AuthHandler<NextFetchEvent>): (request: NextRequest, event: NextFetchEvent) => Promise<Response>
}

const reader: SessionReader = { isServicePath, readSession }

/**
 * Like `NextAuth` of `@latchkey/next`, for a `middleware.ts` or `proxy.ts` that signs nobody in. A third of the size: it has no
 * code of sign-ins and pages.
 * @param config With the same secret, cookies and callbacks as that of the app.
 * @example
 * const { auth } = NextAuth(authConfig)
 * export { auth as middleware }
 */
export function NextAuth(config: NextMiddlewareSource): NextMiddlewareResult {
  const source: NextConfigSource =
    typeof config === "function" ? async (request) => withProviders(await config(request)) : () => withProviders(config)
  function auth(first: AuthHandler<NextFetchEvent> | NextRequest, event?: NextFetchEvent): unknown {
    if (typeof first === "function") {
      return (request: NextRequest, own: NextFetchEvent) =>
        guard(request, source, reader, toAnswer(first, request, own))
    }
    if (first !== undefined && isProxyEvent(event)) return guard(first, source, reader)
    throw new TypeError(
      "auth of @latchkey/next/middleware guards the requests of middleware.ts or proxy.ts. Elsewhere, read the session with auth of @latchkey/next",
    )
  }
  return { auth: auth as MiddlewareFunction } // as: the overloads are the first two cases.
}

/** Plain JavaScript may pass anything, which the core reports. */
function withProviders(given: NextMiddlewareConfig): NextAuthConfig {
  const lacksProviders = typeof given === "object" && given !== null && given.providers === undefined
  return lacksProviders ? withoutProviders(given) : (given as NextAuthConfig) // as: it has providers.
}

const withoutProviders = deriveConfigs((given: NextMiddlewareConfig): NextAuthConfig => ({ ...given, providers: [] }))
