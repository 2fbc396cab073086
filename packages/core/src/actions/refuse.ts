import { isPageAddress } from "../config/validate.js"
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
import { type ActionNeeds, describeFailure, noStore } from "./context.js"
import { isLoopback, renderError } from "./error.js"
import { type Failure, refuseRequest, toReferenceCookie } from "./failure.js"
import { type PageNeeds, toFrame, toPage } from "./page.js"

/** Answers a failed action: by the page on which its error lands. */
export function refuseAction(
  { error, cookies }: Failure,
  request: AuthRequest,
  needs: Pick<ActionNeeds, "pages" | "actionUrl" | "referenceCookie">,
): Reply {
  if (request.route === "session" && request.method === "POST")
    return json(null, { status: 400, cookies, headers: noStore })
  if (error instanceof InvalidRequest) return { ...refuseRequest(error), cookies }
  const landing = getErrorPage(error)
  const query = { error: landing.error, code: error instanceof CredentialsSignin ? error.code : undefined }
  // A wrong password is nothing that an operator would look for.
  const isWorthLooking = landing.error !== "CredentialsSignin"
  const reference = isWorthLooking ? [toReferenceCookie(needs.referenceCookie, error, landing.error)] : []
  return redirect(withQuery(toPageUrl(landing, request, needs), query), { cookies: [...cookies, ...reference] })
}

function toPageUrl(
  { page }: ErrorPage,
  request: AuthRequest,
  { pages, actionUrl }: Pick<ActionNeeds, "pages" | "actionUrl">,
): string {
  const own = pages[page]
  if (own === undefined) return actionUrl(request, page.toLowerCase())
  return own.startsWith("/") ? `${request.url.origin}${own}` : own
}

type WaitNeeds = PageNeeds & Pick<ActionNeeds, "pages" | "referenceCookie">

/** An answer of 429, RFC 6585 section 4: a page for browsers, JSON for clients that fetch. */
export async function tooManyRequests(
  failure: Failure & { readonly error: TooManyRequests },
  request: AuthRequest,
  needs: WaitNeeds,
): Promise<Reply> {
  const status = 429
  const headers = { "retry-after": String(failure.error.retryAfterSeconds) }
  if (!wantsJson(request)) {
    const page = await renderWait(failure, request, needs)
    return { ...page, status, headers: { ...page.headers, ...headers } }
  }
  const { redirect, cookies = [] } = refuseAction(failure, request, needs)
  const message = `Too many requests. Try again in ${failure.error.retryAfterSeconds} seconds.`
  // Clients read the address of a refusal's page from `url`, and its error from that address.
  const body = { message, ...(redirect !== undefined && { url: redirect }) }
  return json(body, { status, cookies, headers: { ...noStore, ...headers } })
}

/** What only scripts ask for, and what scripts send. */
function wantsJson({ route, headers, body }: AuthRequest): boolean {
  if (route === "session" || route === "webauthn-options") return true
  if (wantsRedirectAsJson({ headers }) || asksForJson({ body })) return true
  return headers.get("content-type")?.toLowerCase().startsWith("application/json") === true
}

/**
 * Always a page of ours: a redirect to the host's would be another answer than 429, and the visitor would not know when
 * to come back.
 */
async function renderWait(
  { error, cookies }: Failure & { readonly error: TooManyRequests },
  request: AuthRequest,
  needs: WaitNeeds,
): Promise<Reply> {
  const { renderErrorPage } = await import("../pages/simple-pages.js")
  const { type, retryAfterSeconds, reference } = error
  const content = { error: type, signInUrl: needs.actionUrl(request, "signin"), reference, retryAfterSeconds }
  return toPage(renderErrorPage(content, await toFrame(request, needs)), needs, { cookies })
}

/** What still works when the configuration does not. */
export type RefusalNeeds = PageNeeds &
  Pick<ActionNeeds, "pages"> & { readonly log: Log; readonly isProduction: boolean }

const pageRoutes: ReadonlySet<string> = new Set(["signin", "signout", "error", "verify-request"])

/** Answers every request while the configuration has a mistake: nothing is done, and the log says what to change. */
export async function refuseConfiguration(found: AuthError, request: AuthRequest, needs: RefusalNeeds): Promise<Reply> {
  if (request.route === "style.css") return showStylesheet(request, needs)
  const mistake = found instanceof UntrustedHost ? withHost(found, request) : found
  needs.log.error(mistake, request)
  if (request.method === "GET" && pageRoutes.has(request.route)) return showProblem(mistake, request, needs)
  const message = `There is a problem with the server configuration. The server log has the details (reference ${mistake.reference}).`
  return json({ message }, { status: 500, headers: noStore })
}

/** The configuration is looked at once; which host a request named is seen at each. */
function withHost({ message }: UntrustedHost, { url, headers }: AuthRequest): UntrustedHost {
  return new UntrustedHost(`${message}. The request's host is ${describeHost(headers, url.host)}`)
}

async function showProblem(mistake: AuthError, request: AuthRequest, needs: RefusalNeeds): Promise<Reply> {
  const { error: errorPage } = needs.pages
  // What is wrong may be the address of this very page.
  if (errorPage !== undefined && isPageAddress(errorPage)) {
    const address = errorPage.startsWith("/") ? `${request.url.origin}${errorPage}` : errorPage
    if (!isLoop(request, errorPage)) return redirect(withQuery(address, { error: "Configuration" }))
    needs.log.error(new ErrorPageLoop(`pages.error: ${errorPage} asks for a session itself. Make it public`), request)
  }
  const details = !needs.isProduction && isLoopback(request) ? describeFailure(mistake) : undefined
  const failure = { reference: mistake.reference, ...(details && { details }) }
  return renderError("Configuration", failure, request, needs)
}

/** A protected error page sends its visitor to sign in, and wants them back. */
function isLoop({ url }: AuthRequest, errorPage: string): boolean {
  const target = url.searchParams.get("callbackUrl")
  return target !== null && (target.startsWith(errorPage) || target.startsWith(`${url.origin}${errorPage}`))
}
