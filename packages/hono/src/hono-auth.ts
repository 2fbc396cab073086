import type { Env, MiddlewareHandler } from "hono"
import { answerAction } from "./auth-handler.js"
import { sendCookies } from "./init-auth-config.js"
import { type HonoAuthOptions, type HonoConfigSource, initState } from "./request-state.js"

/**
 * `initAuthConfig` and `authHandler` in one call: `app.use(HonoAuth(config))`, before all routes.
 *
 * Answers what is below `basePath` (else the path of `AUTH_URL`, else `/auth`) and passes the rest on.
 * @param source The configuration, or a function that finds the one for a request.
 */
export function HonoAuth<E extends Env>(
  source: HonoConfigSource<E>,
  options: HonoAuthOptions = {},
): MiddlewareHandler<E> {
  return async (c, next) => {
    initState(c, source, options)
    const answer = await answerAction(c)
    if (answer) return answer
    await next()
    return sendCookies(c)
  }
}
