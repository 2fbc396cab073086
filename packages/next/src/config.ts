import type { AuthConfig } from "@latchkey/core"
import type { Awaitable, CallbacksOptions, Session } from "@latchkey/core/types"
import type { NextRequest } from "next/server.js"

/** How a host steers the flows; with the question of the proxy beside the core's. */
export interface NextAuthCallbacks extends CallbacksOptions {
  /**
   * Whether the visitor may have what the request asks for. Asked in `proxy.ts` (or `middleware.ts`) alone, and never
   * for the service's own paths. `false`, or nothing, sends the visitor to the sign-in page and back afterwards; a
   * `Response` is the answer. Default: everybody may.
   */
  authorized(params: { auth: Session | null; request: NextRequest }): Awaitable<boolean | Response | undefined>
}

/** Everything a host decides. The base path is `basePath`, else the path of `AUTH_URL`, else `/api/auth`. */
export interface NextAuthConfig extends Omit<AuthConfig, "raw"> {
  callbacks?: Partial<NextAuthCallbacks>
}

/**
 * A configuration, or a function that finds the one for a request; there is no request in server components and
 * actions, where `headers()` says more. Return the same object as often as you can.
 */
export type NextConfigSource =
  | NextAuthConfig
  | ((request: NextRequest | undefined) => NextAuthConfig | PromiseLike<NextAuthConfig>)

/** The configuration for a request. */
export async function resolveConfig(source: NextConfigSource, request?: NextRequest): Promise<NextAuthConfig> {
  return typeof source === "function" ? await source(request) : source
}
