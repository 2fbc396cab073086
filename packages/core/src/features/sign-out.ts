import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect } from "../http/response.js"
import type { SignOutMessage } from "../types/callbacks.js"
import type { ActionContext } from "./feature.js"

/** `GET /signout`: asks for confirmation. */
export async function showSignOutPage(request: AuthRequest, context: ActionContext): Promise<Reply> {
  if (context.pages.signOut) return redirect(context.pages.signOut)
  const [{ toFrame, toPage }, { renderSignOutPage }] = await Promise.all([
    import("./page.js"),
    import("../pages/simple-pages.js"),
  ])
  const { token: csrfToken, cookies } = await context.csrf.issue(request.cookies)
  const target = await context.callbackUrls.resolve(request)
  const content = { csrfToken, signoutUrl: context.actionUrl(request, "signout"), callbackUrl: target.url }
  const page = renderSignOutPage(content, await toFrame(request, context))
  return toPage(page, context, { cookies: [...cookies, ...target.cookies] })
}

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
  return redirect(url, { cookies: all, headers: isLive(message) ? clearedCache(request, context) : {} })
}

/** A database answers null for a cookie whose session had ended before. */
function isLive(message: SignOutMessage | null): boolean {
  return message !== null && ("session" in message ? Boolean(message.session) : message.token !== null)
}

/**
 * The header of an answer that ends the session of its browser: otherwise Back shows pages of the signed-in user, from memory or
 * from the cache. It empties the cache of the whole origin (Clear Site Data, section 3.1). Browsers accept it over https only.
 */
export function clearedCache(
  { url }: Pick<AuthRequest, "url">,
  { config }: Pick<ActionContext, "config">,
): Readonly<Record<string, string>> {
  return config.clearCacheOnSignOut && url.protocol === "https:" ? { "clear-site-data": '"cache"' } : {}
}
