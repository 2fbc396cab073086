import { isPageAddress } from "../config/options.js"
import { type AuthError, type ErrorPage, getErrorPage } from "../errors/auth-error.js"
import { CredentialsSignin, ErrorPageLoop, InvalidRequest, type TooManyRequests } from "../errors/errors.js"
import { explainMistake, type Failure, refuseRequest } from "../features/failure.js"
import type { ActionContext, PageContext, ServedBy, Slots } from "../features/feature.js"
import { toFrame, toPage } from "../features/page.js"
import { isPage, varyByFormat } from "../http/accept.js"
import { isLocalHost } from "../http/client-address.js"
import { readCookies } from "../http/cookies.js"
import { type AllowedOrigins, findForeignOrigin } from "../http/origin.js"
import { type AuthRequest, isRouteName } from "../http/request.js"
import { json, noStore, type Reply, redirect, wantsRedirectAsJson, withQuery } from "../http/response.js"
import type { Log } from "../log/log.js"
import { clearSessionCookies } from "../session/cookies.js"
import type { RequestLimits } from "../types/config.js"
import type { AuthContext, IncomingRequest, ResponseCookie } from "../types/http.js"
import type { LocalHosts } from "../types/resolved.js"
import { showStylesheet } from "./assets.js"
import { describeFailure } from "./describe-failure.js"
import { isLoopback, renderError } from "./error.js"
import { findAuthPath } from "./head.js"
import { toPagePath, toReferenceCookie } from "./reference.js"

/** A request that could not be read, and its connection. */
interface UnreadArrival {
  readonly request: IncomingRequest
  readonly context: AuthContext | undefined
}

/** What exists before a request is read. */
interface UnreadContext extends ServedBy {
  readonly log: Log
  readonly slots: Pick<Slots, "answerUnknown">
  readonly allowedOrigins: AllowedOrigins | null
  readonly localHosts: LocalHosts | null
  readonly pageContext: PageContext
  readonly requestLimits: RequestLimits
}

/** Logs a request that could not be read, and answers it. */
export async function refuseUnread(
  error: AuthError,
  { request, context }: UnreadArrival,
  service: UnreadContext,
): Promise<Reply> {
  const own = error.type === "UnknownAction" ? await service.slots.answerUnknown?.({ request, context }, service) : null
  if (own) return own
  const { url, headers } = request
  const place = findAuthPath(url, { basePath: service.basePath })
  service.log.error(error, { headers, context, providerId: place?.providerId })
  return answerUnread(error, request, service)
}

/**
 * Answers a request that could not be read: with a page if a person may have opened an unknown address in a browser, and
 * with cleared cookies if they are too large.
 */
async function answerUnread(error: AuthError, incoming: IncomingRequest, service: UnreadContext): Promise<Reply> {
  if (service.mistake) return refuseRequest(error)
  // HEAD of a route without a page is an unknown action, although the path is known.
  const { basePath, featureRoutes } = service
  const isKnown = () => findAuthPath(incoming.url, { basePath, featureRoutes }) !== null
  const isRead = incoming.method === "GET" || (incoming.method === "HEAD" && !isKnown())
  const isOpened = isRead && incoming.headers.get("accept")?.includes("text/html")
  if (isOpened && error.type === "UnknownAction") return showUnknownPath(error, incoming, service)
  if (!(error instanceof InvalidRequest) || error.status !== 431) return refuseRequest(error)
  return { ...refuseRequest(error), cookies: await freeBrowser(incoming, service) }
}

/** The cookies that free a browser, which would be refused again and again: those that the service would not set. */
async function freeBrowser(
  { url, headers }: IncomingRequest,
  { contextFor, requestLimits }: UnreadContext,
): Promise<readonly ResponseCookie[]> {
  const { cookieRules } = contextFor(new URL(url))
  const jar = readCookies(headers.get("cookie"))
  const session = clearSessionCookies(jar, cookieRules.cookies.sessionToken)
  const { fitCookies } = await import("../http/cookie-budget.js")
  return fitCookies({ jar, replied: session.length > requestLimits.sessionChunks ? session : [] }, cookieRules).cookies
}

/** Answers a failed action: redirects to the page of its error. A session update and a malformed request get a status. */
export async function refuseAction(failure: Failure, request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { error, cookies } = failure
  if (request.route === "session" && request.method === "POST") {
    return json(null, { status: 400, cookies, headers: noStore })
  }
  if (error instanceof InvalidRequest) {
    if (isRouteName(request.route)) return { ...refuseRequest(error), cookies }
    return showInvalidRequest(error, cookies, request, context)
  }
  if (!isRouteName(request.route) && (error.type === "AdapterError" || error.type === "SessionTokenError")) {
    return showStoreFailure(error, cookies, request, context)
  }
  const errorPage = getErrorPage(error)
  const query = {
    ...(errorPage.page === "verifyRequest" && { provider: request.providerId, type: "email" }),
    error: errorPage.error,
    code: error instanceof CredentialsSignin ? error.code : undefined,
  }
  // A wrong password or code has no log entry to refer to.
  const hasReference = errorPage.error !== "CredentialsSignin" && errorPage.error !== "CodeWrong"
  const reference = hasReference ? [toReferenceCookie(context.referenceCookie, error, errorPage.error)] : []
  const typed = await keepTyped(errorPage, request, context)
  const set = [...cookies, ...reference, ...typed]
  const page = toPageUrl(errorPage, request, context)
  return redirect(withQuery(isOtherScheme(error, request) ? toPath(page, request) : page, query), {
    cookies: set,
    ...(!isRouteName(request.route) && { headers: varyByFormat }),
  })
}

/**
 * Whether the browser uses a different scheme than the one configured: the page's Content Security Policy would block a redirect
 * to the configured one, and the visitor would not see the error.
 */
function isOtherScheme({ type }: AuthError, request: AuthRequest): boolean {
  const from = type === "MissingCSRF" && !wantsRedirectAsJson(request) && URL.parse(request.headers.get("origin") ?? "")
  return from ? from.hostname === request.url.hostname && from.protocol !== request.url.protocol : false
}

function toPath(address: string, { url: { origin } }: AuthRequest): string {
  return address.startsWith(`${origin}/`) ? address.slice(origin.length) : address
}

/** Answers a person who sent an invalid request to a page beyond the contract: with a page, and the status of the error. */
async function showInvalidRequest(
  error: InvalidRequest,
  cookies: Cookies,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  const { status, cause } = error
  const failure = { ...(await describeForDeveloper(error, request, context)), providerError: "invalid-link" }
  const page = await renderError("Configuration", failure, request, context)
  const allow = cause?.["allow"]
  return {
    ...page,
    status,
    cookies,
    headers: { ...page.headers, ...varyByFormat, ...(typeof allow === "string" && { allow }) },
  }
}

/**
 * Answers a page beyond the contract while the store fails, RFC 9110 section 15.6.4. Always the built-in page: a redirect to the
 * host's page could not carry the status.
 */
async function showStoreFailure(
  error: AuthError,
  cookies: Cookies,
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  const failure = await describeForDeveloper(error, request, context)
  const page = await renderError("Configuration", failure, request, context)
  return { ...page, status: 503, cookies, headers: { ...page.headers, ...varyByFormat, "retry-after": "5" } }
}

/** The reference, and the reason for a developer on their own machine. In production there are no recent failures. */
async function describeForDeveloper(error: AuthError, request: AuthRequest, { recentFailures }: ActionContext) {
  const isDeveloper = recentFailures !== null && isLoopback(request)
  return { reference: error.reference, ...(isDeveloper && { details: await describeFailure(error) }) }
}

/** Nothing is kept for the host's own page, which could not read it, and for scripts, which keep their form. */
async function keepTyped({ page, error }: ErrorPage, request: AuthRequest, context: ActionContext): Promise<Cookies> {
  const isForm = error === "CredentialsSignin" || error === "EmailSignin"
  if (!isForm || page !== "signIn" || context.pages.signIn !== undefined || wantsJson(request)) return []
  const { keepFormValues } = await import("../features/form-values.js")
  return keepFormValues(request, context)
}

type Cookies = readonly ResponseCookie[]

function toPageUrl({ page }: ErrorPage, request: AuthRequest, { pages, actionUrl }: PageContext): string {
  const hostPage = pages[page]
  if (hostPage === undefined) return actionUrl(request, toPagePath(page))
  return hostPage.startsWith("/") ? `${request.url.origin}${hostPage}` : hostPage
}

/** Answers 429, RFC 6585 section 4: with a page for browsers, with JSON for clients that use `fetch`. */
export async function tooManyRequests(
  failure: Failure & { readonly error: TooManyRequests },
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  const status = 429
  const headers = { "retry-after": String(failure.error.retryAfterSeconds) }
  if (!wantsJson(request)) {
    const page = await renderTooManyRequests(failure, request, context)
    const vary = isRouteName(request.route) ? {} : varyByFormat
    return { ...page, status, headers: { ...page.headers, ...vary, ...headers } }
  }
  const { redirect, cookies = [] } = await refuseAction(failure, request, context)
  const message = `Too many requests. Try again in ${failure.error.retryAfterSeconds} seconds.`
  // Clients read the error from the query of `url`.
  const body = { message, ...(redirect !== undefined && { url: redirect }) }
  return json(body, { status, cookies, headers: { ...noStore, ...headers } })
}

/** Whether a script sent the request, on the routes of the contract. The others negotiate the format before. */
function wantsJson({ route, headers, body }: AuthRequest): boolean {
  if (!isRouteName(route)) return false
  if (route === "session" || route === "webauthn-options") return true
  if (wantsRedirectAsJson({ headers, body })) return true
  return headers.get("content-type")?.toLowerCase().startsWith("application/json") === true
}

/** Always the built-in page: a redirect to the host's page could not carry the status 429. */
async function renderTooManyRequests(
  { error, cookies }: Failure & { readonly error: TooManyRequests },
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  const { renderErrorPage } = await import("../pages/simple-pages.js")
  const { type, retryAfterSeconds } = error
  const failure = await describeForDeveloper(error, request, context)
  const content = { error: type, signInUrl: context.actionUrl(request, "signin"), ...failure, retryAfterSeconds }
  return toPage(renderErrorPage(content, await toFrame(request, context)), context, { cookies })
}

/**
 * Answers a browser that asks for a path that the service does not have: with a page and 404, RFC 9110 section 15.5.5. The
 * page links to the request's host, so a request for a foreign host gets none.
 */
async function showUnknownPath(
  error: AuthError,
  { url: address, headers, method }: IncomingRequest,
  { allowedOrigins, localHosts, pageContext }: UnreadContext,
): Promise<Reply> {
  const url = new URL(address)
  const isForeign = localHosts !== null && !isLocalHost(url.hostname, localHosts)
  if (isForeign || findForeignOrigin(url, allowedOrigins, headers)) return refuseRequest(error)
  const page = await renderError(error.type, {}, { url, headers }, pageContext)
  return { ...page, isBodiless: method === "HEAD" }
}

/** The context that exists while the configuration is invalid. */
interface RefusalContext extends PageContext {
  readonly log: Log
  readonly isProduction: boolean
}

const pageRoutes: ReadonlySet<string> = new Set(["signin", "signout", "error", "verify-request"])

/** Answers a request while the configuration is invalid. The mistake goes to the log. */
export async function refuseConfiguration(
  mistake: AuthError,
  request: AuthRequest,
  context: RefusalContext,
): Promise<Reply> {
  if (request.route === "style.css") return showStylesheet(request, context)
  const error = explainMistake(mistake, request)
  context.log.error(error, request)
  const hasPage = pageRoutes.has(request.route) || (!isRouteName(request.route) && isPage(request))
  if (request.method === "GET" && hasPage) return showConfigurationError(error, request, context)
  const message = `There is a problem with the server configuration. The server log has the details (reference ${error.reference}).`
  return json({ message }, { status: 500, headers: noStore })
}

async function showConfigurationError(
  mistake: AuthError,
  request: AuthRequest,
  context: RefusalContext,
): Promise<Reply> {
  const { error: errorPage } = context.pages
  // The invalid option may be the URL of this page.
  if (errorPage !== undefined && isPageAddress(errorPage)) {
    const address = errorPage.startsWith("/") ? `${request.url.origin}${errorPage}` : errorPage
    if (!isLoop(request, errorPage)) return redirect(withQuery(address, { error: "Configuration" }))
    context.log.error(new ErrorPageLoop(`pages.error: ${errorPage} requires a session. Make the page public`), request)
  }
  const details = !context.isProduction && isLoopback(request) ? await describeFailure(mistake) : undefined
  // The visitor's URL is wrong; the configuration is not.
  const isVisitors = mistake.type === "InvalidCallbackUrl"
  const failure = {
    reference: mistake.reference,
    ...(details && { details }),
    ...(isVisitors && { providerError: "invalid-link" }),
  }
  return renderError("Configuration", failure, request, context)
}

/** Whether the host's error page required a session and redirected to the sign-in page. */
function isLoop({ url }: AuthRequest, errorPage: string): boolean {
  const target = url.searchParams.get("callbackUrl")
  return target !== null && (target.startsWith(errorPage) || target.startsWith(`${url.origin}${errorPage}`))
}
