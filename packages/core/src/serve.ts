import { type Failure, toFailure } from "./actions/failure.js"
import type { ActionNeeds } from "./actions/needs.js"
import { refuseRequest, refuseUnwritten } from "./actions/refuse-plainly.js"
import { getRoute } from "./actions/routes.js"
import { assertCallbackParameter } from "./checks/callback-url.js"
import type { AuthContext } from "./contract/context.js"
import type { IncomingRequest } from "./contract/incoming-request.js"
import { AuthError } from "./errors/auth-error.js"
import { TooManyRequests } from "./errors/request.js"
import { toError } from "./errors/to-error.js"
import type { Scene } from "./log/scene.js"
import type { Service } from "./service/service.js"
import { findProviderId } from "./web/auth-path.js"
import { findForeignOrigin } from "./web/foreign-origin.js"
import { readVisit } from "./web/read-visit.js"
import type { Reply } from "./web/reply.js"
import { wantsRedirectAsJson, withRedirectAsJson } from "./web/to-response.js"
import { asksForJson, type Visit } from "./web/visit.js"

/** A request, and what is known of where it came from. */
export interface Arrival {
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
export function write<Written>(reply: Reply, to: (reply: Reply) => Written, { log }: Service, scene: Scene): Written {
  try {
    return to(reply)
  } catch (thrown) {
    const error = new AuthError("The answer cannot be written as JSON: look at callbacks.session", toError(thrown))
    log.error(error, scene)
    return to(refuseUnwritten(error))
  }
}

async function answer({ request, context }: Arrival, service: Service, isThrowing: boolean): Promise<Reply> {
  let visit: Visit
  try {
    visit = await readVisit(request, service.basePath, context, service.requestLimits)
  } catch (thrown) {
    const { error } = toFailure(thrown)
    const providerId = findProviderId(request.url, service.basePath)
    service.log.error(error, { request, context, providerId })
    return refuseRequest(error)
  }
  if (service.mistake) return refuseMistake(service.mistake, visit, service)
  const foreign = findForeignOrigin(visit.url, service.allowedOrigins, request.headers)
  if (foreign) {
    service.log.error(foreign, visit)
    return refuseRequest(foreign)
  }
  const mistake = findParameterMistake(visit)
  if (mistake) return refuseMistake(mistake, visit, service)
  const reply = await act(visit, service, isThrowing)
  return !isThrowing && asksForJson(visit) ? withRedirectAsJson(reply) : reply
}

async function act(visit: Visit, { log, surface, needsFor }: Service, isThrowing: boolean): Promise<Reply> {
  const needs = needsFor(visit.url)
  try {
    return await getRoute(visit)(visit, needs)
  } catch (thrown) {
    const failure = toFailure(thrown)
    const { error, userId } = failure
    const scene = { ...visit, userId }
    if (isThrowing) {
      log.recordFailure(error, scene)
      throw error
    }
    log.errorOnce(error, scene)
    surface.failures.remember(error)
    return refuse(failure, visit, needs)
  }
}

async function refuse(failure: Failure, visit: Visit, needs: ActionNeeds): Promise<Reply> {
  const { error, cookies } = failure
  if (error instanceof TooManyRequests) {
    const { refuseForNow } = await import("./actions/refuse-for-now.js")
    return refuseForNow({ error, cookies }, visit, needs)
  }
  const { refuseAction } = await import("./actions/refuse.js")
  return refuseAction(failure, visit, needs)
}

/** What is wrong with the whole service, or with the request before any action is asked. */
async function refuseMistake(mistake: AuthError, visit: Visit, service: Service): Promise<Reply> {
  const { refuseConfiguration } = await import("./actions/refuse-configuration.js")
  return refuseConfiguration(mistake, visit, { ...service.surface, ...service })
}

function findParameterMistake({ url }: Visit): AuthError | null {
  try {
    assertCallbackParameter(url)
    return null
  } catch (thrown) {
    return toFailure(thrown).error
  }
}
