import { Auth, getService } from "../auth.js"
import { UntrustedHost } from "../errors/errors.js"
import { refuseRequest } from "../features/failure.js"
import { toResponse } from "../http/response.js"
import type { AuthConfig } from "../types/config.js"
import type { AuthContext, IncomingRequest } from "../types/http.js"
import { type BodySource, dropBody, takeBody } from "./body.js"
import { type Caller, findOrigin, type Settings } from "./config.js"
import { isPathOf, readSessionOf, type SessionAnswer } from "./reader/reader.js"

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
    if (!(error instanceof UntrustedHost)) throw error
    void dropBody(request)
    return toResponse(refuseRequest(error))
  }
  const url = origin === publicOrigin ? request.url : `${publicOrigin}${pathname}${search}`
  return await answerAt(url, request, { config: settings.config, context: caller.context })
}

interface Service {
  readonly config: AuthConfig
  readonly context?: AuthContext | undefined
}

/**
 * Answers a request of a server under another URL. No second `Request` is created: one with a stream as its body takes longer
 * than most answers.
 */
export async function answerAt(url: string, request: BodySource, { config, context }: Service): Promise<Response> {
  const { method, headers } = request
  const taken = await takeBody(request)
  const incoming: IncomingRequest = {
    method,
    url,
    headers,
    get body() {
      return taken.open()
    },
  }
  try {
    // as: `Auth` reads these parts only. `raw` is for its direct callers.
    return await Auth(incoming as Request, config as Omit<AuthConfig, "raw">, context)
  } finally {
    taken.drop()
  }
}

/**
 * Whether the service answers a path. Other paths below its base path belong to the host.
 * @param config Has the features whose paths the service answers too. Default: no features.
 */
export function isServicePath(path: string, basePath: string, config?: AuthConfig): boolean {
  return isPathOf(path, basePath, () => config && getService(config))
}

/**
 * The public form of a request target: the base path in place of the mount path, in case a proxy cut off its beginning.
 * @param mountPath Empty if the endpoints are mounted for all paths: the target stays as it is.
 */
export function toPublicTarget(target: string, mountPath: string, { basePath }: Settings): string {
  return mountPath === "" ? target : `${basePath}${target.slice(mountPath.length)}`
}

/**
 * Reads the current session.
 * @throws SessionTokenError when the store fails, and AuthError when the configuration is invalid or the host is not trusted,
 *   so that a failure never looks like being signed out; the log has the cause
 */
export function readSession(caller: Caller, settings: Settings): Promise<SessionAnswer> {
  return readSessionOf(getService(settings.config), caller, settings)
}
