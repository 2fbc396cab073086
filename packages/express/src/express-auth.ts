import type { AuthConfig } from "@latchkey/core"
import { answerRequest, type ConfigSource, readTarget, resolveSettings, toListener } from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { readArrival, readContext } from "./arrival.js"
import { findMountPath } from "./mount-path.js"

/** Everything a host decides. `basePath` is not needed: the mount path says it. */
export type ExpressAuthConfig = Omit<AuthConfig, "raw">

/**
 * Mounts the service in an Express app: `app.use("/auth", ExpressAuth(config))`.
 *
 * The base path is the path it is mounted on, before any wildcard. Mounted for all paths, it answers what is below
 * `config.basePath` (else the path of `AUTH_URL`, else `/auth`) and passes the rest on. What the host's functions throw
 * goes to the app's error handler.
 * @param config The configuration, or a function that finds the one for a request. It should give the same object each
 *   time for the same case, since what an object says is worked out once and kept with it.
 */
export function ExpressAuth(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  return toListener(async (req: Request, res: Response) => {
    const mountPath = findMountPath(req)
    const settings = await resolveSettings(config, req, mountPath)
    const url = toPublicTarget(req, mountPath, settings.basePath)
    const context = readContext(req, settings.config)
    return await answerRequest(req, settings, { ...readArrival(req), context, url, response: res })
  })
}

/** The target with the base path for the mount path, in case a proxy took a part of it away. */
function toPublicTarget(req: Request, mountPath: string, basePath: string): string {
  const sent = readTarget(req)
  if (mountPath === "") return sent
  // A middleware that rewrites `url` leaves the original as it was: then only what the router saw fits the mount path.
  const target = sent.startsWith(mountPath) ? sent : `${req.baseUrl}${req.url}`
  return `${basePath}${target.slice(mountPath.length)}`
}
