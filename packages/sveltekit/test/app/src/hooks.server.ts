import { sequence } from "@sveltejs/kit/hooks"
import { handle as authHandle } from "./auth.js"

export const handle = sequence(authHandle, async ({ event, resolve }) => {
  if (event.platform?.isAsking) await event.locals.auth()
  // A response of its own, to which SvelteKit adds no cookie.
  if (event.url.pathname.endsWith("/own")) return Response.redirect(new URL("/elsewhere", event.url), 303)
  return await resolve(event)
})
