import { Auth } from "@latchkey/core"
import { UntrustedHost } from "@latchkey/core/errors"
import { isBelow, type Settings } from "@latchkey/core/integration"
import type { Context, MiddlewareHandler } from "hono"
import { findOrigin, readContext } from "./caller.js"
import { findMountPath } from "./mount-path.js"
import { findSettings } from "./request-state.js"
import { toServiceRequest } from "./service-request.js"

/**
 * Answers the service's actions: `app.use("/auth/*", authHandler())`, behind `initAuthConfig`.
 *
 * The base path is the path it is mounted on, before the wildcard. Mounted for all paths, it answers what is below
 * `basePath` (else the path of `AUTH_URL`, else `/auth`) and passes the rest on.
 */
export function authHandler(): MiddlewareHandler {
  return async (c, next) => {
    return (await answerAction(c)) ?? (await next())
  }
}

/** Null for a request that is not below the base path. */
export async function answerAction(c: Context): Promise<Response | null> {
  const mountPath = findMountPath(c)
  const settings = await findSettings(c, mountPath)
  const { pathname, search } = new URL(c.req.url)
  // The base path in place of the mount path, in case a proxy took a part of it away.
  const path = mountPath === "" ? pathname : `${settings.basePath}${pathname.slice(mountPath.length)}`
  return isBelow(path, settings.basePath) ? await answer(c, settings, `${path}${search}`) : null
}

async function answer(c: Context, settings: Settings, target: string): Promise<Response> {
  let origin: string
  try {
    origin = findOrigin(c, settings)
  } catch (error) {
    if (error instanceof UntrustedHost) return c.json("Bad request.", 400)
    throw error
  }
  const request = await toServiceRequest(c, `${origin}${target}`)
  const response = await Auth(request, settings.config, readContext(c))
  // Keeps the cookies that middlewares before this one set; the response as it is would drop them.
  return c.newResponse(response.body, response)
}
