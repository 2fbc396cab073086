import { withQuery } from "../web/page-url.js"
import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { findFailure, type ShownFailure, toFrame, toPage } from "./page.js"

/** What the error page is made of; a configuration that cannot work still has these. */
export type ErrorPageNeeds = Pick<ActionNeeds, "theme" | "stylesheet" | "actionUrl" | "providers">

/** `GET /error`: says what happened and where to go on. */
export async function showErrorPage(visit: Visit, needs: ActionNeeds): Promise<Reply> {
  const error = visit.url.searchParams.get("error") ?? undefined
  if (needs.pages.error) return redirect(withQuery(needs.pages.error, { error }))
  return renderError(error, findFailure(visit, needs), visit, needs)
}

/** The built-in error page, with the status that goes with the error. */
export async function renderError(
  error: string | undefined,
  failure: ShownFailure,
  visit: Visit,
  needs: ErrorPageNeeds,
): Promise<Reply> {
  const { errorPageStatus, renderErrorPage } = await import("../pages/error-page.js")
  const content = { error, signInUrl: needs.actionUrl(visit, "signin"), ...failure }
  const page = renderErrorPage(content, await toFrame(visit, needs))
  return toPage(page, needs, { status: errorPageStatus(error) })
}
