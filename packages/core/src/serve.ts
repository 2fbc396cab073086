import type { ActionContext } from "./actions/context.js"
import { type Failure, refuseRequest, refuseUnwritten, toFailure } from "./actions/failure.js"
import { getRoute } from "./actions/routes.js"
import { assertCallbackParameter } from "./checks/callback-url.js"
import { AuthError, toError } from "./errors/auth-error.js"
import { TooManyRequests } from "./errors/errors.js"
import { findForeignOrigin } from "./http/origin.js"
import { type AuthRequest, asksForJson, findProviderId, readRequest } from "./http/request.js"
import { type Reply, wantsRedirectAsJson, withRedirectAsJson } from "./http/response.js"
import type { LogContext } from "./log/audit-event.js"
import type { Service } from "./service.js"
import type { AuthContext, IncomingRequest } from "./types/http.js"

/** A request and its connection. */
export interface Arrival {
  readonly request: IncomingRequest
  readonly context: AuthContext | undefined
}

/**
 * The path of every request: read it, check it, call its action, and turn a failure into a reply.
 * @param isRaw Whether failures of actions are thrown to the caller.
 * @throws AuthError if `isRaw` is true
 */
export function serve(arrival: Arrival, service: Service, { isRaw }: { readonly isRaw: boolean }): Promise<Reply> {
  const isJson = wantsRedirectAsJson(arrival.request)
  const reply = answer(arrival, service, isRaw && !isJson)
  return isJson ? reply.then(withRedirectAsJson) : reply
}

/** Serializes a reply. The session is the return value of a callback, which may not be valid JSON. */
export function write<Written>(
  reply: Reply,
  to: (reply: Reply) => Written,
  { log }: Service,
  context: LogContext,
): Written {
  try {
    return to(reply)
  } catch (thrown) {
    const error = new AuthError(
      "The reply cannot be serialized as JSON. Check the return value of callbacks.session",
      toError(thrown),
    )
    log.error(error, context)
    return to(refuseUnwritten(error))
  }
}

async function answer({ request: incoming, context }: Arrival, service: Service, isThrowing: boolean): Promise<Reply> {
  const { basePath, log } = service
  let request: AuthRequest
  try {
    request = await readRequest(incoming, basePath, context, service.requestLimits)
  } catch (thrown) {
    const { error } = toFailure(thrown)
    log.error(error, { headers: incoming.headers, context, providerId: findProviderId(incoming.url, basePath) })
    return refuseUnread(error, incoming, service)
  }
  if (service.mistake) return refuseMistake(service.mistake, request, service)
  const foreign = findForeignOrigin(request.url, service.allowedOrigins, request.headers)
  if (foreign) {
    log.error(foreign, request)
    return refuseRequest(foreign)
  }
  try {
    assertCallbackParameter(request.url)
  } catch (thrown) {
    return refuseMistake(toFailure(thrown).error, request, service)
  }
  const reply = await act(request, service, isThrowing)
  return !isThrowing && asksForJson(request) ? withRedirectAsJson(reply) : reply
}

/** Answers a request that could not be read: with a page if a person may have opened an unknown address in a browser. */
async function refuseUnread(error: AuthError, incoming: IncomingRequest, service: Service): Promise<Reply> {
  const isOpened = incoming.method === "GET" && incoming.headers.get("accept")?.includes("text/html")
  if (!isOpened || service.mistake || error.type !== "UnknownAction") return refuseRequest(error)
  const { showUnknownPath } = await import("./actions/refuse.js")
  return showUnknownPath(error, incoming, service)
}

/**
 * Calls the action. Every failure ends here, such as a provider that answers 500: it is logged once, and
 * `actions/refuse.ts` redirects to the page that `errorPages` in `errors/auth-error.ts` has for it.
 */
async function act(request: AuthRequest, service: Service, isThrowing: boolean): Promise<Reply> {
  const { log, pageContext } = service
  const context = service.contextFor(request.url)
  try {
    return await getRoute(request)(request, context)
  } catch (thrown) {
    const failure = toFailure(thrown)
    const { error, userId } = failure
    const logContext = { ...request, userId }
    if (isThrowing) {
      log.recordFailure(error, logContext)
      throw error
    }
    log.errorOnce(error, logContext)
    pageContext.recentFailures.remember(error)
    return refuse(failure, request, context)
  }
}

async function refuse(failure: Failure, request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { error, cookies } = failure
  const { refuseAction, tooManyRequests } = await import("./actions/refuse.js")
  if (error instanceof TooManyRequests) return tooManyRequests({ error, cookies }, request, context)
  return refuseAction(failure, request, context)
}

/** Answers while the configuration is invalid, and requests that are invalid before any action is called. */
async function refuseMistake(mistake: AuthError, request: AuthRequest, service: Service): Promise<Reply> {
  const { refuseConfiguration } = await import("./actions/refuse.js")
  return refuseConfiguration(mistake, request, { ...service.pageContext, ...service })
}
