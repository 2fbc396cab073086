import type { AuthRequest } from "../http/request.js"
import { json, type Reply, redirect } from "../http/response.js"
import type { SessionUpdate } from "../session/session.js"
import { type ActionNeeds, noStore } from "./context.js"
import { type PageNeeds, toFrame, toPage } from "./page.js"

/** `GET /session`: whose session this is, or null. */
export function readSession(request: AuthRequest, needs: Pick<ActionNeeds, "sessions">): Promise<Reply> {
  return answer(request, needs)
}

/** `POST /session`: hands the client's data to the host's callbacks and answers the updated session. */
export function updateSession(request: AuthRequest, needs: Pick<ActionNeeds, "sessions">): Promise<Reply> {
  return answer(request, needs, { newSession: request.body?.["data"] })
}

async function answer(
  request: AuthRequest,
  { sessions }: Pick<ActionNeeds, "sessions">,
  update?: SessionUpdate,
): Promise<Reply> {
  const { session, cookies } = await sessions.check(request, update)
  return json(session, { cookies, headers: noStore })
}

/** `POST /signout`: forgets the session and clears its cookies. */
export async function endSession(
  request: AuthRequest,
  { sessions, events, callbackUrls }: Pick<ActionNeeds, "sessions" | "events" | "callbackUrls">,
): Promise<Reply> {
  const target = await callbackUrls.resolve(request)
  const { message, cookies } = await sessions.end(request)
  if (message) await events.of(request).send("signOut", message)
  return redirect(target.url, { cookies: [...target.cookies, ...cookies] })
}

type SignOutPageNeeds = PageNeeds & Pick<ActionNeeds, "pages" | "csrf" | "callbackUrls">

/** `GET /signout`: asks whether to sign out. */
export async function showSignOutPage(request: AuthRequest, needs: SignOutPageNeeds): Promise<Reply> {
  if (needs.pages.signOut) return redirect(needs.pages.signOut)
  const { renderSignOutPage } = await import("../pages/simple-pages.js")
  const { token: csrfToken, cookies } = await needs.csrf.issue(request.cookies)
  const target = await needs.callbackUrls.resolve(request)
  const content = { csrfToken, signoutUrl: needs.actionUrl(request, "signout"), callbackUrl: target.url }
  const page = renderSignOutPage(content, await toFrame(request, needs))
  return toPage(page, needs, { cookies: [...cookies, ...target.cookies] })
}
