import type { AuthRequest } from "../http/request.js"
import { type Reply, redirect } from "../http/response.js"
import type { ActionContext } from "./feature.js"

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
