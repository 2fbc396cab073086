import { sequence } from "@sveltejs/kit/hooks"
import { handle as authHandle } from "./auth.js"

export const handle = sequence(authHandle, async ({ event, resolve }) => {
  if (event.platform?.readsSessionInHook) await event.locals.auth()
  // A response to which SvelteKit adds no cookies.
  if (event.url.pathname.endsWith("/own")) return Response.redirect(new URL("/elsewhere", event.url), 303)
  return await resolve(event)
})
