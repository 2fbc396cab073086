import { isForwarded, isLoopbackAddress } from "../http/client-address.js"
import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect, withQuery } from "../http/response.js"
import { isLoopbackHost } from "../oauth/address.js"
import type { DeveloperDetails } from "../pages/document.js"
import type { ActionNeeds } from "./context.js"
import { findReference } from "./failure.js"
import { type PageNeeds, toFrame, toPage } from "./page.js"

type ErrorPageNeeds = PageNeeds & FailureNeeds & Pick<ActionNeeds, "pages">

/** `GET /error`: says what happened and where to go on. */
export async function showErrorPage(request: AuthRequest, needs: ErrorPageNeeds): Promise<Reply> {
  const error = request.url.searchParams.get("error") ?? undefined
  if (needs.pages.error) return redirect(withQuery(needs.pages.error, { error }))
  return renderError(error, findErrorDetails(request, needs), request, needs)
}

/**
 * The built-in error page, with the status that goes with the error. A configuration that cannot work still has its
 * needs.
 */
export async function renderError(
  error: string | undefined,
  failure: ErrorDetails,
  request: AuthRequest,
  needs: PageNeeds,
): Promise<Reply> {
  const { errorPageStatus, renderErrorPage } = await import("../pages/simple-pages.js")
  const content = { error, signInUrl: needs.actionUrl(request, "signin"), ...failure }
  const page = renderErrorPage(content, await toFrame(request, needs))
  return toPage(page, needs, { status: errorPageStatus(error) })
}

/** What a page says of the failure that led to it. */
interface ErrorDetails {
  readonly reference?: string
  readonly errorProvider?: string | undefined
  readonly providerError?: string | undefined
  readonly details?: DeveloperDetails
}

export type FailureNeeds = Pick<ActionNeeds, "referenceCookie" | "failures">

/** The reference is for everybody; what the log says is for a developer who looks at the page on their own machine. */
export function findErrorDetails(request: AuthRequest, { referenceCookie, failures }: FailureNeeds): ErrorDetails {
  const found = findReference(referenceCookie, request.cookies, request.url.searchParams.get("error"))
  if (!found) return {}
  const details = isLoopback(request) ? failures.find(found.reference) : undefined
  return { ...found, ...(details && { details }) }
}

/**
 * Whether the developer sits at the machine itself, and no proxy stands between. The host is what the visitor says;
 * where the socket's address is known, that has to be this machine's as well.
 */
export function isLoopback({ url, headers, context }: AuthRequest): boolean {
  const { clientAddress } = context
  const isHere = clientAddress === undefined || isLoopbackAddress(clientAddress)
  return isHere && !isForwarded(headers) && isLoopbackHost(url.hostname)
}
