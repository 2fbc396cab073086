import { findAuth } from "./session.js"

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
  return (await findAuth(request, path).guard()) ?? undefined
}
