import { type Reply, redirect } from "../web/reply.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { type PageNeeds, toFrame, toPage } from "./page.js"

/** `POST /signout`: forgets the session and clears its cookies. */
export async function endSession(
  visit: Visit,
  { sessions, events, callbackUrls }: Pick<ActionNeeds, "sessions" | "events" | "callbackUrls">,
): Promise<Reply> {
  const target = await callbackUrls.resolve(visit)
  const { message, cookies } = await sessions.end(visit)
  if (message) await events.of(visit).send("signOut", message)
  return redirect(target.url, { cookies: [...target.cookies, ...cookies] })
}

type SignOutPageNeeds = PageNeeds & Pick<ActionNeeds, "pages" | "csrf" | "callbackUrls">

/** `GET /signout`: asks whether to sign out. */
export async function showSignOutPage(visit: Visit, needs: SignOutPageNeeds): Promise<Reply> {
  if (needs.pages.signOut) return redirect(needs.pages.signOut)
  const { renderSignOutPage } = await import("../pages/sign-out-page.js")
  const { token: csrfToken, cookies } = await needs.csrf.issue(visit.cookies)
  const target = await needs.callbackUrls.resolve(visit)
  const content = { csrfToken, signoutUrl: needs.actionUrl(visit, "signout"), callbackUrl: target.url }
  const page = renderSignOutPage(content, await toFrame(visit, needs))
  return toPage(page, needs, { cookies: [...cookies, ...target.cookies] })
}
