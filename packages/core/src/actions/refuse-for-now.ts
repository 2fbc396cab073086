import type { TooManyRequests } from "../errors/request.js"
import { json, type Reply } from "../web/reply.js"
import { wantsRedirectAsJson } from "../web/to-response.js"
import { asksForJson, type Visit } from "../web/visit.js"
import type { Failure } from "./failure.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"
import { type PageNeeds, toFrame, toPage } from "./page.js"
import { refuseAction } from "./refuse.js"

type RefusalNeeds = PageNeeds & Pick<ActionNeeds, "pages" | "referenceCookie">

/** An answer of 429, RFC 6585 section 4: a page for browsers, JSON for clients that fetch. */
export async function refuseForNow(
  failure: Failure & { readonly error: TooManyRequests },
  visit: Visit,
  needs: RefusalNeeds,
): Promise<Reply> {
  const status = 429
  const headers = { "retry-after": String(failure.error.retryAfterSeconds) }
  if (!wantsJson(visit)) {
    const page = await renderWait(failure, visit, needs)
    return { ...page, status, headers: { ...page.headers, ...headers } }
  }
  const { redirect, cookies = [] } = refuseAction(failure, visit, needs)
  const message = `Too many requests. Try again in ${failure.error.retryAfterSeconds} seconds.`
  // Clients read the address of a refusal's page from `url`, and its error from that address.
  const body = { message, ...(redirect !== undefined && { url: redirect }) }
  return json(body, { status, cookies, headers: { ...noStore, ...headers } })
}

/** What only scripts ask for, and what scripts send. */
function wantsJson({ route, request, body }: Visit): boolean {
  if (route === "session" || route === "webauthn-options") return true
  if (wantsRedirectAsJson(request) || asksForJson({ body })) return true
  return request.headers.get("content-type")?.toLowerCase().startsWith("application/json") === true
}

/**
 * Always a page of ours: a redirect to the host's would be another answer than 429, and the visitor would not know when
 * to come back.
 */
async function renderWait(
  { error, cookies }: Failure & { readonly error: TooManyRequests },
  visit: Visit,
  needs: RefusalNeeds,
): Promise<Reply> {
  const { renderErrorPage } = await import("../pages/error-page.js")
  const { type, retryAfterSeconds, reference } = error
  const content = { error: type, signInUrl: needs.actionUrl(visit, "signin"), reference, retryAfterSeconds }
  return toPage(renderErrorPage(content, await toFrame(visit, needs)), needs, { cookies })
}
