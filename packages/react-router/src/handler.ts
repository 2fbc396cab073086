import { AuthError } from "@latchkey/core/errors"
import { answerRequest, isBelow, isServicePath, warnAtStart } from "@latchkey/core/integration"
import {
  findSettings,
  type ReactRouterAuthOptions,
  type ReactRouterConfigSource,
  type RouteArgs,
  type RouteMiddleware,
  toCaller,
} from "./config.js"
import { initAuth } from "./session.js"

/** What `ReactRouterAuth` returns. */
export interface ReactRouterAuthResult {
  /** For `middleware` of `app/root.tsx`: makes `getAuth` work, and adds the cookies of sessions to the response. */
  readonly middleware: RouteMiddleware
  /** For `loader` and `action` of the route `api/auth/*`: answers requests to the service. */
  readonly handler: (args: RouteArgs) => Promise<Response>
}

/**
 * Authentication for React Router in framework mode.
 * @param source The configuration, or a function that returns the one for a request.
 * @example
 * // app/auth.server.ts
 * export const auth = ReactRouterAuth({ providers: [GitHub] })
 * // app/root.tsx
 * export const middleware = [auth.middleware]
 * // app/routes/auth.ts, mounted at api/auth/*
 * export const loader = auth.handler
 * export const action = auth.handler
 */
export function ReactRouterAuth(
  source: ReactRouterConfigSource,
  options: ReactRouterAuthOptions = {},
): ReactRouterAuthResult {
  warnAtStart(source)
  return {
    async middleware(args, next) {
      const { complete } = initAuth(source, options, args)
      return complete(await next())
    },
    async handler(args) {
      const settings = await findSettings(source, args)
      const { basePath, config } = settings
      const { pathname } = new URL(args.request.url)
      if (!isBelow(pathname, basePath)) {
        throw new AuthError(
          `The route is mounted at another path than basePath ("${basePath}"). Set basePath to the path before the wildcard, with the app's basename`,
        )
      }
      if (!isServicePath(pathname, basePath, config)) return new Response(null, { status: 404 })
      return await answerRequest(args.request, toCaller(args, options), settings)
    },
  }
}
