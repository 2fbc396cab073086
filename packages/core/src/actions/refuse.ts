import { isPageAddress } from "../config/options.js"
import { type AuthError, type ErrorPage, getErrorPage } from "../errors/auth-error.js"
import {
  CredentialsSignin,
  ErrorPageLoop,
  InvalidRequest,
  type TooManyRequests,
  UntrustedHost,
} from "../errors/errors.js"
import { describeHost } from "../http/origin.js"
import { type AuthRequest, asksForJson } from "../http/request.js"
import { json, type Reply, redirect, wantsRedirectAsJson, withQuery } from "../http/response.js"
import type { Log } from "../log/log.js"
import { showStylesheet } from "./assets.js"
import { type ActionContext, describeFailure, noStore, type PageContext } from "./context.js"
import { isLoopback, renderError } from "./error.js"
import { type Failure, refuseRequest, toReferenceCookie } from "./failure.js"
import { toFrame, toPage } from "./page.js"

/** Answers a failed action by redirecting to the page for its error. */
export function refuseAction({ error, cookies }: Failure, request: AuthRequest, context: ActionContext): Reply {
  if (request.route === "session" && request.method === "POST")
    return json(null, { status: 400, cookies, headers: noStore })
  if (error instanceof InvalidRequest) return { ...refuseRequest(error), cookies }
  const errorPage = getErrorPage(error)
  const query = { error: errorPage.error, code: error instanceof CredentialsSignin ? error.code : undefined }
  // Operators do not look up wrong passwords.
  const hasReference = errorPage.error !== "CredentialsSignin"
  const reference = hasReference ? [toReferenceCookie(context.referenceCookie, error, errorPage.error)] : []
  return redirect(withQuery(toPageUrl(errorPage, request, context), query), { cookies: [...cookies, ...reference] })
}

function toPageUrl({ page }: ErrorPage, request: AuthRequest, { pages, actionUrl }: PageContext): string {
  const own = pages[page]
  if (own === undefined) return actionUrl(request, page.toLowerCase())
  return own.startsWith("/") ? `${request.url.origin}${own}` : own
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
    const page = await renderWait(failure, request, context)
    return { ...page, status, headers: { ...page.headers, ...headers } }
  }
  const { redirect, cookies = [] } = refuseAction(failure, request, context)
  const message = `Too many requests. Try again in ${failure.error.retryAfterSeconds} seconds.`
  // Clients read the address of a refusal's page from `url`, and its error from that address.
  const body = { message, ...(redirect !== undefined && { url: redirect }) }
  return json(body, { status, cookies, headers: { ...noStore, ...headers } })
}

/** Whether a script sent the request. */
function wantsJson({ route, headers, body }: AuthRequest): boolean {
  if (route === "session" || route === "webauthn-options") return true
  if (wantsRedirectAsJson({ headers }) || asksForJson({ body })) return true
  return headers.get("content-type")?.toLowerCase().startsWith("application/json") === true
}

/** Always the built-in page: a redirect to the host's page could not carry the status 429. */
async function renderWait(
  { error, cookies }: Failure & { readonly error: TooManyRequests },
  request: AuthRequest,
  context: ActionContext,
): Promise<Reply> {
  const { renderErrorPage } = await import("../pages/simple-pages.js")
  const { type, retryAfterSeconds, reference } = error
  const content = { error: type, signInUrl: context.actionUrl(request, "signin"), reference, retryAfterSeconds }
  return toPage(renderErrorPage(content, await toFrame(request, context)), context, { cookies })
}

/** What works while the configuration is invalid. */
interface RefusalContext extends PageContext {
  readonly log: Log
  readonly isProduction: boolean
}

const pageRoutes: ReadonlySet<string> = new Set(["signin", "signout", "error", "verify-request"])

/** Answers every request while the configuration is invalid. The log says what to change. */
export async function refuseConfiguration(
  found: AuthError,
  request: AuthRequest,
  context: RefusalContext,
): Promise<Reply> {
  if (request.route === "style.css") return showStylesheet(request, context)
  const mistake = found instanceof UntrustedHost ? withHost(found, request) : found
  context.log.error(mistake, request)
  if (request.method === "GET" && pageRoutes.has(request.route)) return showProblem(mistake, request, context)
  const message = `There is a problem with the server configuration. The server log has the details (reference ${mistake.reference}).`
  return json({ message }, { status: 500, headers: noStore })
}

/** The configuration is validated once; the host is different for each request. */
function withHost({ message }: UntrustedHost, { url, headers }: AuthRequest): UntrustedHost {
  return new UntrustedHost(`${message}. The request's host is ${describeHost(headers, url.host)}`)
}

async function showProblem(mistake: AuthError, request: AuthRequest, context: RefusalContext): Promise<Reply> {
  const { error: errorPage } = context.pages
  // The invalid option may be the URL of this very page.
  if (errorPage !== undefined && isPageAddress(errorPage)) {
    const address = errorPage.startsWith("/") ? `${request.url.origin}${errorPage}` : errorPage
    if (!isLoop(request, errorPage)) return redirect(withQuery(address, { error: "Configuration" }))
    context.log.error(new ErrorPageLoop(`pages.error: ${errorPage} requires a session. Make the page public`), request)
  }
  const details = !context.isProduction && isLoopback(request) ? describeFailure(mistake) : undefined
  const failure = { reference: mistake.reference, ...(details && { details }) }
  return renderError("Configuration", failure, request, context)
}

/** Whether the error page itself redirected to the sign-in page. */
function isLoop({ url }: AuthRequest, errorPage: string): boolean {
  const target = url.searchParams.get("callbackUrl")
  return target !== null && (target.startsWith(errorPage) || target.startsWith(`${url.origin}${errorPage}`))
}
