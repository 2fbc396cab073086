import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import type { ActionNeeds } from "./needs.js"
import { type PageNeeds, toFrame, toPage } from "./page.js"
import { type FailureNeeds, findFailure, type ShownFailure } from "./shown-failure.js"

type ErrorPageNeeds = PageNeeds & FailureNeeds & Pick<ActionNeeds, "pages">

/** `GET /error`: says what happened and where to go on. */
export async function showErrorPage(visit: Visit, needs: ErrorPageNeeds): Promise<Reply> {
  const error = visit.url.searchParams.get("error") ?? undefined
  if (needs.pages.error) return redirect(withQuery(needs.pages.error, { error }))
  return renderError(error, findFailure(visit, needs), visit, needs)
}

/**
 * The built-in error page, with the status that goes with the error. A configuration that cannot work still has its
 * needs.
 */
export async function renderError(
  error: string | undefined,
  failure: ShownFailure,
  visit: Visit,
  needs: PageNeeds,
): Promise<Reply> {
  const { errorPageStatus, renderErrorPage } = await import("../pages/error-page.js")
  const content = { error, signInUrl: needs.actionUrl(visit, "signin"), ...failure }
  const page = renderErrorPage(content, await toFrame(visit, needs))
  return toPage(page, needs, { status: errorPageStatus(error) })
}
