import { andThen, toPublicTarget, warnAtStart } from "@latchkey/core/integration"
import { answerRequest, type ConfigSource, readTarget, resolveSettings, toListener } from "@latchkey/node"
import type { NextFunction, Request, Response } from "express"
import { readContext, readOrigin } from "./config.js"

/**
 * Mounts the endpoints in an Express app: `app.use("/auth", ExpressAuth(config))`.
 *
 * The base path is the mount path, before any wildcard. Mounted for all paths, it answers requests below
 * `config.basePath` (else the path of `AUTH_URL`, else `/auth`) and passes others on. Errors of the host's functions go
 * to the app's error handler.
 * @param config The configuration, or a function that returns the one for a request. Return the same object for the same
 *   case: Latchkey resolves each configuration object once.
 */
export function ExpressAuth(
  config: ConfigSource<Request>,
): (req: Request, res: Response, next: NextFunction) => Promise<void> {
  warnAtStart(config)
  return toListener((req: Request, response: Response) => {
    const mountPath = findMountPath(req)
    return andThen(resolveSettings(config, req, mountPath), (settings) => {
      const url = toPublicTarget(findTarget(req, mountPath), mountPath, settings)
      const context = readContext(req, settings.config)
      const { protocol, host } = readOrigin(req)
      return answerRequest(req, settings, { protocol, host, context, url, response })
    })
  })
}

/**
 * Finds the path that the middleware is mounted on: the part before the wildcard of its pattern, including the mounts of
 * routers and apps above it. Empty if it is mounted for all paths.
 *
 * A wildcard's value is a string under a number in Express 4 (`/auth/*`) and a list under its name in Express 5
 * (`/auth/*splat`). `use` puts the matched part into `baseUrl`; `all` and similar methods leave it in `path`.
 * @internal Exported for its tests.
 */
export function findMountPath(req: Pick<Request, "baseUrl" | "params" | "path">): string {
  const { baseUrl, params } = req
  const rest = findWildcard(params)
  if (rest === undefined) return withoutTrailingSlash(baseUrl)
  return findBefore(baseUrl, rest) ?? findBefore(baseUrl + req.path, rest) ?? withoutTrailingSlash(baseUrl)
}

function findWildcard(params: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  let found: string | undefined
  // The last one wins. A loop, since most mounts have no parameters.
  for (const name in params) {
    const value = params[name]
    if (Array.isArray(value)) found = value.join("/")
    else if (/^\d+$/.test(name)) found = value ?? found
  }
  // The value of `*` alone, as in `router.use("*", ...)` of Express 4, begins with the slash.
  return found?.replace(/^\//, "")
}

/** The part of `path` before the slash that `rest`, once decoded, follows. */
function findBefore(path: string, rest: string): string | undefined {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    if (decode(path.slice(slash + 1)) === rest) return withoutTrailingSlash(path.slice(0, slash))
  }
  return undefined
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined // Cut within a percent-encoded character, where no wildcard begins.
  }
}

/** A loop, because a pattern would take quadratic time for a path of many slashes. */
function withoutTrailingSlash(path: string): string {
  let end = path.length
  while (path[end - 1] === "/") end--
  return path.slice(0, end)
}

/** The target as the router saw it. A middleware that rewrites `url` does not change `originalUrl`. */
function findTarget(req: Request, mountPath: string): string {
  const target = readTarget(req)
  return target.startsWith(mountPath) ? target : `${req.baseUrl}${req.url}`
}
