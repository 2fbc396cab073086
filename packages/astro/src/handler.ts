import { AuthError } from "@latchkey/core/errors"
import { createPublicAuth, createWebAuth, isBelow, type UserAuth, warnAtStart } from "@latchkey/core/integration"
import { type AstroConfigSource, type AstroContext, settingsFinder, toCaller } from "./config.js"

/** Astro's `MiddlewareHandler`. */
export type AstroMiddleware = (context: AstroContext, next: () => Promise<Response>) => Promise<Response>

/** Where the endpoints are. */
export interface AstroAuthOptions {
  /** The public path of the endpoints, with Astro's `base`. Default: `/api/auth`. */
  readonly mountPath?: string
}

/**
 * Creates the middleware that answers requests to the service, and sets `Astro.locals.auth` for all others. The integration
 * adds it to the app.
 * @param source The configuration, or a function that returns the one for a request.
 */
export function AstroAuth(
  source: AstroConfigSource,
  { mountPath = "/api/auth" }: AstroAuthOptions = {},
): AstroMiddleware {
  warnAtStart(source)
  const findSettings = settingsFinder(source, mountPath)
  return async (context, next) => {
    if (context.isPrerendered) {
      setAuth(context, prerenderedAuth)
      return await next()
    }
    const web = createWebAuth(context, async () => ({
      caller: toCaller(context),
      settings: await findSettings(context),
    }))
    setAuth(context, web.auth)
    const answer = isBelow(context.url.pathname, mountPath) ? await web.answer() : null
    return answer ?? web.complete(await next())
  }
}

const prerenderedAuth: UserAuth = createPublicAuth(
  "The page is prerendered, so it has no visitor. Add: export const prerender = false",
)

const auths = new WeakMap<object, UserAuth>()

function setAuth(context: AstroContext, auth: UserAuth): void {
  Object.assign(context.locals, { auth })
  auths.set(context.request, auth)
}

/**
 * The session and the actions of a request, like `Astro.locals.auth`.
 * @param source `Astro`, the context of an endpoint or action, or its request.
 * @throws AuthError if the integration is not installed
 */
export function findAuth(source: Request | Pick<AstroContext, "request">): UserAuth {
  const auth = auths.get("request" in source ? source.request : source)
  if (auth) return auth
  throw new AuthError(
    "The request has no authentication. Add latchkey() to `integrations` in astro.config, and use the request of the page",
  )
}
