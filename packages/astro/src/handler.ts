import { bindPublicAuth, createWebAuth, isBelow, warnAtStart } from "@latchkey/core/integration"
import { type AstroConfigSource, type AstroMiddleware, settingsFinder, toCaller } from "./config.js"
import { setAuth } from "./session.js"

/** Where the endpoints are. */
export interface AstroAuthOptions {
  /** The public path of the endpoints, with Astro's `base`. Default: `/api/auth`. */
  readonly mountPath?: string | undefined
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
      setAuth(context, prerendered)
      return await next()
    }
    const web = createWebAuth({ request: context.request }, async () => ({
      caller: toCaller(context),
      settings: await findSettings(context),
    }))
    setAuth(context, web)
    const answer = isBelow(context.url.pathname, mountPath) ? await web.answer() : null
    return answer ?? web.complete(await next())
  }
}

const prerendered = bindPublicAuth("The page is prerendered, so it has no visitor. Add: export const prerender = false")
