import { CredentialsSignin } from "../errors/credentials-signin.js"
import { InvalidRequest } from "../errors/invalid-request.js"
import { getLanding, type Landing } from "../errors/landing.js"
import { json, type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import type { Failure } from "./failure.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"
import { toReferenceCookie } from "./reference.js"
import { refuseRequest } from "./refuse-plainly.js"

/** Answers a failed action: by the page on which its error lands. */
export function refuseAction(
  { error, cookies }: Failure,
  visit: Visit,
  needs: Pick<ActionNeeds, "pages" | "actionUrl" | "referenceCookie">,
): Reply {
  if (visit.route === "session" && visit.method === "POST")
    return json(null, { status: 400, cookies, headers: noStore })
  if (error instanceof InvalidRequest) return { ...refuseRequest(error), cookies }
  const landing = getLanding(error)
  const query = { error: landing.error, code: error instanceof CredentialsSignin ? error.code : undefined }
  // A wrong password is nothing that an operator would look for.
  const isWorthLooking = landing.error !== "CredentialsSignin"
  const reference = isWorthLooking ? [toReferenceCookie(needs.referenceCookie, error, landing.error)] : []
  return redirect(withQuery(toPageUrl(landing, visit, needs), query), { cookies: [...cookies, ...reference] })
}

function toPageUrl(
  { page }: Landing,
  visit: Visit,
  { pages, actionUrl }: Pick<ActionNeeds, "pages" | "actionUrl">,
): string {
  const own = pages[page]
  if (own === undefined) return actionUrl(visit, page.toLowerCase())
  return own.startsWith("/") ? `${visit.url.origin}${own}` : own
}
