import type { ActionNeeds } from "./actions/context.js"
import { type Failure, refuseRequest, refuseUnwritten, toFailure } from "./actions/failure.js"
import { getRoute } from "./actions/routes.js"
import { assertCallbackParameter } from "./checks/callback-url.js"
import { AuthError, toError } from "./errors/auth-error.js"
import { TooManyRequests } from "./errors/errors.js"
import { findForeignOrigin } from "./http/origin.js"
import { type AuthRequest, asksForJson, findProviderId, readRequest } from "./http/request.js"
import { type Reply, toAnswer, toRaw, toResponse, wantsRedirectAsJson, withRedirectAsJson } from "./http/response.js"
import type { LogContext } from "./log/audit-event.js"
import { createLog } from "./log/log.js"
import { getService, type Service } from "./service.js"
import { raw } from "./types/basics.js"
import type { AuthConfig } from "./types/config.js"
import type { Answer, AuthContext, IncomingRequest, ResponseInternal } from "./types/http.js"

/**
 * Answers a request below the base path: sign-in, sign-out, sessions and the built-in pages.
 *
 * @param config The same object each time: what it says is worked out once and kept with it.
 * @param context What the integration knows of the connection. Without it, the visitor's address is not known.
 * @throws AuthError with the `raw` marker, for failures that would otherwise end on a page
 * @example
 * const response = await Auth(request, { providers: [GitHub], secret, trustHost: true })
 */
export function Auth(
  request: Request,
  config: AuthConfig & { raw: typeof raw },
  context?: AuthContext,
): Promise<ResponseInternal>
export function Auth(request: Request, config: Omit<AuthConfig, "raw">, context?: AuthContext): Promise<Response>
export async function Auth(
  request: Request,
  config: AuthConfig,
  context?: AuthContext,
): Promise<Response | ResponseInternal> {
  const service = getService(config)
  const isRaw = config.raw === raw
  const reply = await serve({ request, context }, service, { isRaw })
  return isRaw ? toRaw(reply) : write(reply, toResponse, service, { headers: request.headers, context })
}

/**
 * As `Auth`, for integrations with servers that do not speak `Response`: making one and reading it back costs more than
 * most of what is between.
 * @param config The same object each time: what it says is worked out once and kept with it. Its `raw` is not looked
 *   at.
 */
export async function respond(request: IncomingRequest, config: AuthConfig, context?: AuthContext): Promise<Answer> {
  const service = getService(config)
  const reply = await serve({ request, context }, service, { isRaw: false })
  return write(reply, toAnswer, service, { headers: request.headers, context })
}

/** A request, and what is known of where it came from. */
interface Arrival {
  readonly request: IncomingRequest
  readonly context: AuthContext | undefined
}

/**
 * The one way of a request through the service: it is read, acted upon, and what failed on the way becomes a refusal.
 * @param isRaw Whether failures of actions are the caller's, who asked for answers as they are.
 * @throws AuthError, where they are
 */
export function serve(arrival: Arrival, service: Service, { isRaw }: { readonly isRaw: boolean }): Promise<Reply> {
  const isJson = wantsRedirectAsJson(arrival.request)
  const reply = answer(arrival, service, isRaw && !isJson)
  return isJson ? reply.then(withRedirectAsJson) : reply
}

/** Writes an answer. A session is what the host's callback returns, and not all of that can be written. */
export function write<Written>(
  reply: Reply,
  to: (reply: Reply) => Written,
  { log }: Service,
  scene: LogContext,
): Written {
  try {
    return to(reply)
  } catch (thrown) {
    const error = new AuthError("The answer cannot be written as JSON: look at callbacks.session", toError(thrown))
    log.error(error, scene)
    return to(refuseUnwritten(error))
  }
}

async function answer({ request, context }: Arrival, service: Service, isThrowing: boolean): Promise<Reply> {
  let authRequest: AuthRequest
  try {
    authRequest = await readRequest(request, service.basePath, context, service.requestLimits)
  } catch (thrown) {
    const { error } = toFailure(thrown)
    const providerId = findProviderId(request.url, service.basePath)
    service.log.error(error, { headers: request.headers, context, providerId })
    return refuseRequest(error)
  }
  if (service.mistake) return refuseMistake(service.mistake, authRequest, service)
  const foreign = findForeignOrigin(authRequest.url, service.allowedOrigins, request.headers)
  if (foreign) {
    service.log.error(foreign, authRequest)
    return refuseRequest(foreign)
  }
  const mistake = findParameterMistake(authRequest)
  if (mistake) return refuseMistake(mistake, authRequest, service)
  const reply = await act(authRequest, service, isThrowing)
  return !isThrowing && asksForJson(authRequest) ? withRedirectAsJson(reply) : reply
}

async function act(authRequest: AuthRequest, { log, surface, needsFor }: Service, isThrowing: boolean): Promise<Reply> {
  const needs = needsFor(authRequest.url)
  try {
    return await getRoute(authRequest)(authRequest, needs)
  } catch (thrown) {
    const failure = toFailure(thrown)
    const { error, userId } = failure
    const scene = { ...authRequest, userId }
    if (isThrowing) {
      log.recordFailure(error, scene)
      throw error
    }
    log.errorOnce(error, scene)
    surface.failures.remember(error)
    return refuse(failure, authRequest, needs)
  }
}

async function refuse(failure: Failure, authRequest: AuthRequest, needs: ActionNeeds): Promise<Reply> {
  const { error, cookies } = failure
  if (error instanceof TooManyRequests) {
    const { tooManyRequests } = await import("./actions/refuse.js")
    return tooManyRequests({ error, cookies }, authRequest, needs)
  }
  const { refuseAction } = await import("./actions/refuse.js")
  return refuseAction(failure, authRequest, needs)
}

/** What is wrong with the whole service, or with the request before any action is asked. */
async function refuseMistake(mistake: AuthError, authRequest: AuthRequest, service: Service): Promise<Reply> {
  const { refuseConfiguration } = await import("./actions/refuse.js")
  return refuseConfiguration(mistake, authRequest, { ...service.surface, ...service })
}

function findParameterMistake({ url }: AuthRequest): AuthError | null {
  try {
    assertCallbackParameter(url)
    return null
  } catch (thrown) {
    return toFailure(thrown).error
  }
}

/** What is known of a request that never reached the service. */
export interface RejectedRequest {
  /** Where the host logs. Default: the console. */
  readonly logger?: AuthConfig["logger"]
  readonly headers: Headers
  readonly context?: AuthContext
}

/**
 * For integrations: logs and records a request that they refuse before the service sees it, as the service does with
 * its own.
 */
export function logRejectedRequest(error: AuthError, { logger, headers, context }: RejectedRequest): void {
  createLog(logger).error(error, { headers, context })
}
