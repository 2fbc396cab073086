import { decideGuard, findOrigin, refusalText } from "@latchkey/core/integration"
import { getState } from "./session.js"

/** The parts of Elysia's context that the guard reads. */
export interface GuardedContext {
  readonly request: Request
  /** As the router saw it. */
  readonly path: string
}

/**
 * A hook that requires a session: `app.get("/account", show, { beforeHandle: requireAuth })`, or
 * `app.guard({ beforeHandle: requireAuth }, ...)`. Without a session a page load is redirected to the sign-in page (303)
 * and returns afterwards; every other request gets 401. Errors go to the app's error handler, and the request does not
 * pass.
 *
 * The sign-in page is `pages.signIn`, else `<basePath>/signin`. A page of your own is let through.
 */
export async function requireAuth({ request, path }: GuardedContext): Promise<Response | undefined> {
  const { caller, settings, request: state } = getState(request)
  const session = await state.auth.getSession()
  if (session?.user) return undefined
  const { method, headers, url } = request
  const query = url.indexOf("?")
  const answer = decideGuard(
    {
      method,
      accept: headers.get("accept"),
      authorization: headers.get("authorization"),
      target: query === -1 ? path : `${path}${url.slice(query)}`,
      findOrigin: () => findOrigin(caller, settings),
    },
    settings,
  )
  if (answer.kind === "pass") return undefined
  if (answer.kind === "refuse") return Response.json({ message: refusalText }, { status: 401, headers: answer.headers })
  return new Response(null, { status: 303, headers: { ...answer.headers, location: answer.url } })
}
