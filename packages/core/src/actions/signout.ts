import type { ActionContext } from "../features/feature.js"
import { toFrame, toPage } from "../features/page.js"
import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect } from "../http/response.js"

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
