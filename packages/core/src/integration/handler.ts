import { refuseRequest } from "../actions/failure.js"
import { Auth } from "../auth.js"
import { UntrustedHost } from "../errors/errors.js"
import { parseAuthPath } from "../http/request.js"
import { toResponse } from "../http/response.js"
import { getService } from "../service.js"
import type { AuthConfig } from "../types/config.js"
import { type Caller, findOrigin, type Settings } from "./config.js"

/**
 * Answers a Web request below the base path, under the app's public origin: that of `AUTH_URL`, else that of the caller.
 * An invalid host is answered with 400.
 */
export async function answerRequest(request: Request, caller: Caller, settings: Settings): Promise<Response> {
  const { origin, pathname, search } = new URL(request.url)
  let publicOrigin: string
  try {
    publicOrigin = findOrigin(caller, settings)
  } catch (error) {
    if (error instanceof UntrustedHost) return toResponse(refuseRequest(error))
    throw error
  }
  // From the URL: some frameworks' requests are proxies, which `new Request(request)` cannot copy.
  const publicRequest = origin === publicOrigin ? request : new Request(`${publicOrigin}${pathname}${search}`, request)
  return await Auth(publicRequest, settings.config, caller.context)
}

/**
 * Whether the service answers a path. Other paths below its base path belong to the host.
 * @param config Has the features whose paths the service answers too. Default: no features.
 */
export function isServicePath(path: string, basePath: string, config?: AuthConfig): boolean {
  if (!isBelow(path, basePath)) return false
  try {
    parseAuthPath(path, { basePath, featureRoutes: config && getService(config).featureRoutes })
    return true
  } catch {
    return false // Thrown for an unknown action.
  }
}

/** Whether a path is the base path or below it, compared by whole segments. */
export function isBelow(path: string, basePath: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`)
}

/** The part of a request target before its query. */
export function toPath(target: string): string {
  // A search for a pattern takes longer, and most targets have neither.
  const query = target.indexOf("?")
  const path = query === -1 ? target : target.slice(0, query)
  const fragment = path.indexOf("#")
  return fragment === -1 ? path : path.slice(0, fragment)
}

/**
 * The public form of a request target: the base path in place of the mount path, in case a proxy cut off its beginning.
 * @param mountPath Empty if the endpoints are mounted for all paths: the target stays as it is.
 */
export function toPublicTarget(target: string, mountPath: string, { basePath }: Settings): string {
  return mountPath === "" ? target : `${basePath}${target.slice(mountPath.length)}`
}
