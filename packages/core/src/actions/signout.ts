import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect } from "../http/response.js"
import type { ActionContext } from "./context.js"
import { toFrame, toPage } from "./page.js"

/** `POST /signout`: ends the session and clears its cookies. */
export async function endSession(request: AuthRequest, context: ActionContext): Promise<Reply> {
  const { sessions, events, callbackUrls, features } = context
  const target = await callbackUrls.resolve(request)
  const { message, cookies } = await sessions.end(request)
  if (message) await events.of(request).send("signOut", message)
  let url: string = target.url
  const all = [...target.cookies, ...cookies]
  for (const feature of features) {
    if (message) feature.onSignedOut?.(message, request, context)
    const next = await feature.onSignOut?.(url, request, context)
    if (next) {
      url = next.url
      all.push(...next.cookies)
    }
  }
  return redirect(url, { cookies: all })
}

/** `GET /signout`: asks for confirmation. */
export async function showSignOutPage(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (context.pages.signOut) return redirect(context.pages.signOut)
  const { renderSignOutPage } = await import("../pages/simple-pages.js")
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const target = await context.callbackUrls.resolve(request)
  const content = { csrfToken, signoutUrl: context.actionUrl(request, "signout"), callbackUrl: target.url }
  const page = renderSignOutPage(content, await toFrame(request, context))
  return toPage(page, context, { cookies: [...cookies, ...target.cookies] })
}
