import type { ActionContext, PageContext, PageRequest } from "../features/feature.js"
import { toFrame, toPage } from "../features/page.js"
import { findPreferred, varyByFormat } from "../http/accept.js"
import { isForwarded } from "../http/client-address.js"
import { isLoopbackAddress, isLoopbackHost } from "../http/ip-address.js"
import type { AuthRequest } from "../http/request.js"
import { json, noStore, type Reply, redirect, withQuery } from "../http/response.js"
import { findMethod } from "../methods/find-method.js"
import type { DeveloperDetails } from "../pages/document.js"
import { describeFailure } from "./describe-failure.js"
import { findReference } from "./reference.js"

/** `GET /error`: the error page. */
export async function showErrorPage(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const error = request.url.searchParams.get("error") ?? undefined
  // Clients with a form of their own ask for the sentence.
  if (findPreferred(request.headers.get("accept")) === "json") return explainError(request, context)
  if (context.pages.error) return redirect(withQuery(context.pages.error, { error }))
  return renderError(error, await findErrorDetails(request, context), request, context)
}

/** The sentence for an error that a redirect has named, in the language of the visitor. The error itself is never repeated. */
async function explainError(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { searchParams } = request.url
  const error = searchParams.get("error") ?? ""
  const { reference, providerError } = await findErrorDetails(request, context)
  const code = searchParams.get("code") ?? undefined
  const frame = await toFrame(request, context)
  const methods = error === "WebAuthnVerificationError" ? [...context.providers.values()].map(findMethod) : []
  const passkey = await methods.find((method) => method?.findSentence)?.findSentence?.(code ?? error, frame)
  const { findSentence } = await import("../pages/simple-pages.js")
  const message = passkey ?? findSentence({ error, code: code ?? providerError }, frame)
  return json({ message, code: providerError, reference }, { headers: { ...noStore, ...varyByFormat } })
}

/** The built-in error page, with the status of the error. Works while the configuration is invalid. */
export async function renderError(
  error: string | undefined,
  failure: ErrorDetails,
  request: PageRequest,
  context: PageContext,
): Promise<Reply> {
  const { errorPageStatus, renderErrorPage } = await import("../pages/simple-pages.js")
  const content = { error, signInUrl: context.actionUrl(request, "signin"), ...failure }
  const page = renderErrorPage(content, await toFrame(request, context))
  return toPage(page, context, { status: errorPageStatus(error) })
}

/** What a page shows about the failure that redirected to it. */
interface ErrorDetails {
  readonly reference?: string
  readonly errorProvider?: string | undefined
  readonly providerError?: string | undefined
  readonly details?: DeveloperDetails
}

/** Every visitor sees the reference. Only a developer on their own machine sees the details. */
export async function findErrorDetails(
  request: AuthRequest,
  { referenceCookie, recentFailures }: ActionContext,
): Promise<ErrorDetails> {
  const found = findReference(referenceCookie, request.cookies, request.url.searchParams.get("error"))
  if (!found) return {}
  const failure = isLoopback(request) ? recentFailures?.get(found.reference) : undefined
  return { ...found, ...(failure && { details: await describeFailure(failure) }) }
}

/**
 * Whether the request comes from this machine, without a proxy. The client chooses the Host header, so the socket's
 * address must be a loopback address as well, if it is known.
 */
export function isLoopback({ url, headers, context }: AuthRequest): boolean {
  const { clientAddress } = context
  const isHere = clientAddress === undefined || isLoopbackAddress(clientAddress)
  return isHere && !isForwarded(headers) && isLoopbackHost(url.hostname)
}
