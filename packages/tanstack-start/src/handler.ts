import { type UserAuth, warnAtStart } from "@latchkey/core/integration"
import type { StartAuthOptions, StartConfigSource } from "./config.js"
import { findAuth, initAuth } from "./session.js"

/** The result of a middleware's `next`, with the response of the app. */
export interface StartResult {
  readonly response: Response
}

/** The parts of the options of a request middleware that are used. */
export interface StartMiddlewareOptions<Result extends StartResult> {
  readonly request: Request
  readonly next: (options: { readonly context: { readonly auth: UserAuth } }) => Promise<Result> | Result
}

/** What `StartAuth` returns. */
export interface StartAuthResult {
  /**
   * For `createMiddleware().server(auth.handle)`: answers requests to the service, makes `getAuth` work, passes `auth` in
   * the context, and adds the cookies of sessions to the response.
   */
  handle<Result extends StartResult>(options: StartMiddlewareOptions<Result>): Promise<Result | Response>
}

/**
 * Authentication for TanStack Start.
 * @param source The configuration, or a function that returns the one for a request.
 * @example
 * // src/auth.ts
 * export const auth = StartAuth({ providers: [GitHub] })
 * // src/start.ts
 * const authMiddleware = createMiddleware().server(auth.handle)
 * const csrfMiddleware = createCsrfMiddleware({ filter: ({ handlerType }) => handlerType === "serverFn" })
 * export const startInstance = createStart(() => ({ requestMiddleware: [csrfMiddleware, authMiddleware] }))
 */
export function StartAuth(source: StartConfigSource, options: StartAuthOptions = {}): StartAuthResult {
  warnAtStart(source)
  return {
    async handle({ request, next }) {
      const web = initAuth(source, options, request)
      const answer = await web.answer()
      if (answer) return answer
      const result = await next({ context: { auth: web.auth } })
      const response = web.complete(result.response)
      return response === result.response ? result : { ...result, response }
    },
  }
}

/**
 * A request middleware that requires a session, behind that of `StartAuth`: `createMiddleware().server(requireAuth)`, in
 * `server.middleware` of a route, or in a middleware for paths. Page loads are redirected to the sign-in page (303) and return
 * afterwards; every other request gets 401.
 */
export async function requireAuth<Result>(options: {
  readonly request: Request
  readonly next: () => Promise<Result> | Result
}): Promise<Result | Response> {
  return (await findAuth(options.request).guard()) ?? (await options.next())
}
