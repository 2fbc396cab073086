import { createUntrusted } from "./config/validate.js"
import { AuthError, toError } from "./errors/auth-error.js"
import { TooManyRequests } from "./errors/errors.js"
import { type Failure, refuseRequest, refuseUnwritten, toFailure } from "./features/failure.js"
import type { ActionContext, ReceivedRequest } from "./features/feature.js"
import { isLocalHost } from "./http/client-address.js"
import { assertCallbackParameter, findForeignOrigin } from "./http/origin.js"
import { ownCookies, pageShares, toOwnCookie } from "./http/own-cookies.js"
import { type AuthRequest, readRequest } from "./http/request.js"
import { type Reply, wantsRedirectAsJson, withRedirectAsJson } from "./http/response.js"
import type { LogContext } from "./log/audit-event.js"
import { createLog } from "./log/log.js"
import { andThen, attempt, isPromiseLike } from "./runtime/promise.js"
import type { Service } from "./service.js"
import type { Awaitable } from "./types/basics.js"
import type { AuthConfig } from "./types/config.js"
import type { AuthContext } from "./types/http.js"
import type { LocalHosts } from "./types/resolved.js"

/** A request that an integration rejected before it reached the service. */
export interface RejectedRequest {
  /** Default: the console. */
  readonly logger?: AuthConfig["logger"]
  readonly headers: Headers
  readonly context?: AuthContext | undefined
}

/** Logs and records a request that an integration rejects before the service sees it. */
export function logRejectedRequest(error: AuthError, { logger, headers, context }: RejectedRequest): void {
  createLog(logger).error(error, { headers, context })
}

/**
 * The path of every request: read it, check it, call its action, and turn a failure into a reply. Synchronous for a
 * stateless session check.
 * @param isRaw Whether failures of actions are thrown to the caller.
 * @throws AuthError if `isRaw` is true
 */
export function serve(
  received: ReceivedRequest,
  service: Service,
  { isRaw }: { readonly isRaw: boolean },
): Awaitable<Reply> {
  const { headers } = received.request
  const isThrowing = isRaw && !wantsRedirectAsJson({ headers })
  const next = (own: ReceivedRequest) => answer(own, service, isThrowing)
  const answered = service.slots.bearer?.serve(received, next, service) ?? next(received)
  return andThen(answered, (reply) =>
    reply.redirect !== undefined && wantsRedirectAsJson({ headers }) ? withRedirectAsJson(reply) : reply,
  )
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

function answer(received: ReceivedRequest, service: Service, isThrowing: boolean): Awaitable<Reply> {
  const refuse = async (thrown: unknown): Promise<Reply> => {
    if (received.request.method === "HEAD") {
      const { answerHead } = await service.parts.loadHead()
      const head = await answerHead(received, service, (get) => answer(get, service, isThrowing))
      if (head) return head
    }
    const { refuseUnread } = await service.parts.loadRefusals()
    return refuseUnread(toFailure(thrown).error, received, service)
  }
  let request: Awaitable<AuthRequest>
  try {
    request = readRequest(received.request, service, received.context)
  } catch (thrown) {
    return refuse(thrown)
  }
  if (!isPromiseLike(request)) return answerRead(request, service, isThrowing)
  return Promise.resolve(request).then((read) => answerRead(read, service, isThrowing), refuse)
}

function answerRead(request: AuthRequest, service: Service, isThrowing: boolean): Awaitable<Reply> {
  if (service.mistake) return refuseMistake(service.mistake, request, service)
  if (service.localHosts !== null) {
    const mistake = checkLocalHost(request.url, service.localHosts, service)
    if (mistake) return refuseMistake(mistake, request, service)
  }
  const foreign = findForeignOrigin(request.url, service.allowedOrigins, request.headers)
  if (foreign) {
    service.log.error(foreign, request)
    return refuseRequest(foreign)
  }
  try {
    if (request.url.search !== "") assertCallbackParameter(request.url)
  } catch (thrown) {
    return refuseMistake(toFailure(thrown).error, request, service)
  }
  const acted = andThen(act(request, service, isThrowing), (reply) =>
    exceedsBudget(reply, request, service) ? shrink(reply, request, service) : reply,
  )
  return !isThrowing && request.body && wantsRedirectAsJson(request) ? andThen(acted, withRedirectAsJson) : acted
}

/**
 * The mistake of an app that configures no host and gets a request for another than its own machine. In production one
 * line is logged about the own machine: a proxy may send the address of the app instead of its own as `Host`, and then
 * mails have links to localhost.
 */
function checkLocalHost({ hostname }: URL, hosts: LocalHosts, { isProduction, log }: Service): AuthError | null {
  if (!isLocalHost(hostname, hosts)) return createUntrusted()
  if (isProduction) log.warnOnce("host-unconfigured")
  return null
}

/** Whether the service's cookies may exceed their budget. A cheap estimate: `fitReply` measures them. */
function exceedsBudget(
  { cookies, headers }: Reply,
  { cookies: { size: sent } }: AuthRequest,
  service: Service,
): boolean {
  let size = sent + pageCookiesSize
  if (cookies) for (const { value } of cookies) size += value.length
  // A cache must not keep cookies.
  return size > service.cookieBudget && !headers?.["cache-control"]?.startsWith("public")
}

/** Characters that cookies of the sign-in page may have, which other requests do not show. */
const pageCookiesSize = pageShares.formValues + pageShares.lastProvider

/** Sets no more cookies than the browser can send back, and frees a browser that has too many. */
async function shrink(reply: Reply, request: AuthRequest, service: Service): Promise<Reply> {
  const { fitReply } = await service.parts.loadFitReply()
  return fitReply(reply, request, service.contextFor(request.url))
}

/**
 * Calls the action. Every failure ends here, such as a provider that answers 500: it is logged once, and
 * `actions/refuse.ts` redirects to the page that `errorPages` in `errors/auth-error.ts` has for it.
 */
function act(request: AuthRequest, service: Service, isThrowing: boolean): Awaitable<Reply> {
  const context = service.contextFor(request.url)
  return attempt(
    () => route(request, service, context),
    (thrown) => {
      const failure = toFailure(thrown)
      const fail = (last: Failure) => answerFailure(last, request, service, isThrowing)
      return hasCompleted(request, context) ? resume(failure, fail, request, service) : fail(failure)
    },
  )
}

function route(request: AuthRequest, service: Service, context: ActionContext): Awaitable<Reply> {
  const answer = service.parts.getRoute(request, service)
  const { acceptor } = service.slots
  if (acceptor === undefined) return answer(request, context)
  return acceptor.serve(request, context, (own) => answer(own, context)) ?? answer(request, context)
}

/** Whether the browser remembers a sign-in that it completed, whose requests may have been sent again. */
const hasCompleted = ({ cookies }: AuthRequest, { cookieRules }: ActionContext) =>
  cookies.get(toOwnCookie(ownCookies.completed, cookieRules).name) !== undefined

async function resume(
  failure: Failure,
  fail: (failure: Failure) => Awaitable<Reply>,
  request: AuthRequest,
  { parts, contextFor }: Service,
): Promise<Reply> {
  const { orCompleted } = await parts.loadCompleted()
  const answered = await orCompleted(failure, request, contextFor(request.url))
  return "reply" in answered ? answered.reply : fail(answered.failure)
}

function answerFailure(failure: Failure, request: AuthRequest, service: Service, isThrowing: boolean): Promise<Reply> {
  const { log, pageContext } = service
  const { error, userId } = failure
  const logContext = { ...request, userId }
  if (isThrowing) {
    log.recordFailure(error, logContext)
    throw error
  }
  log.errorOnce(error, logContext)
  pageContext.recentFailures?.set(error.reference, error)
  return refuse(failure, request, service)
}

async function refuse(failure: Failure, request: AuthRequest, { parts, contextFor }: Service): Promise<Reply> {
  const { error, cookies } = failure
  const { refuseAction, tooManyRequests } = await parts.loadRefusals()
  const context = contextFor(request.url)
  if (error instanceof TooManyRequests) return tooManyRequests({ error, cookies }, request, context)
  return refuseAction(failure, request, context)
}

/** Answers while the configuration is invalid, and requests that are invalid before any action is called. */
async function refuseMistake(mistake: AuthError, request: AuthRequest, service: Service): Promise<Reply> {
  const { refuseConfiguration } = await service.parts.loadRefusals()
  return refuseConfiguration(mistake, request, { ...service.pageContext, ...service })
}
