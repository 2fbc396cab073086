import { serializeCookie } from "@latchkey/core/integration"
import type { Context, Env, MiddlewareHandler } from "hono"
import { type HonoAuthOptions, type HonoConfigSource, initState, takeCookies, toFamily } from "./request-state.js"

/**
 * Says the configuration to `authHandler`, `verifyAuth` and `getAuthUser`: `app.use(initAuthConfig(config))`. Sets the
 * cookies of a session that was renewed while the request was answered.
 * @param source The configuration, or a function that finds the one for a request; it is called when it is needed.
 */
export function initAuthConfig<E extends Env>(
  source: HonoConfigSource<E>,
  options: HonoAuthOptions = {},
): MiddlewareHandler<E> {
  return async (c, next) => {
    initState(c, source, options)
    await next()
    sendCookies(c)
  }
}

/**
 * Afterwards, since a handler's own `Response` drops what was set before it. What the answer says itself stands: a
 * renewed session behind one that was ended would sign people in again.
 */
export function sendCookies(c: Context): void {
  const cookies = takeCookies(c)
  if (cookies.length === 0 || c.res.status === 101) return // The answer to an upgrade cannot be written again.
  const told = new Set(c.res.headers.getSetCookie().map((line) => toFamily(line.split("=", 1)[0] ?? "")))
  for (const cookie of cookies) {
    if (!told.has(toFamily(cookie.name))) c.header("set-cookie", serializeCookie(cookie), { append: true })
  }
}
