import { AuthError } from "../errors/auth-error.js"
import { CredentialsSignin } from "../errors/credentials-signin.js"
import { InvalidRequest } from "../errors/invalid-request.js"
import { getLanding, type Landing } from "../errors/landing.js"
import { toError } from "../errors/to-error.js"
import { Refusal } from "../web/refusal.js"
import { json, type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import { withQuery } from "../web/with-query.js"
import type { ActionNeeds } from "./needs.js"
import { noStore } from "./no-store.js"
import { toReferenceCookie } from "./reference.js"

export interface Failure {
  /** What goes to the log. What is not ours is wrapped, so that it has a reference. */
  readonly error: AuthError
  readonly cookies: NonNullable<Reply["cookies"]>
  /** Id of the stored user who was refused, where that is known. */
  readonly userId?: string | undefined
}

export function toFailure(thrown: unknown): Failure {
  const { error, cookies, userId } =
    thrown instanceof Refusal ? thrown : { error: thrown, cookies: [], userId: undefined }
  return { error: error instanceof AuthError ? error : new AuthError(toError(error)), cookies, userId }
}

/** A request that could not even be read is answered by a status, not by a page. */
export function refuseRequest(error: AuthError): Reply {
  const allow = error.cause?.["allow"]
  const headers = { ...noStore, ...(typeof allow === "string" && { allow }) }
  return json("Bad request.", { status: error instanceof InvalidRequest ? error.status : 400, headers })
}

/** An answer that could not be written, such as what the host's `session` callback returned: nothing of it is given away. */
export function refuseUnwritten({ reference }: AuthError): Reply {
  const message = `The answer could not be written. The server log has the details (reference ${reference}).`
  return json({ message }, { status: 500, headers: noStore })
}

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
