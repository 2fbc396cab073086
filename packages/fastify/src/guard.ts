import type { FastifyReply, FastifyRequest } from "fastify"
import type { RequestAuths } from "./session.js"

/**
 * A hook that requires a session, and sets `request.auth.session` (and `request.session`, unless the app has its own).
 * Without a session a page load is redirected to the sign-in page (303) and returns afterwards; every other request gets
 * 401. Errors go to the app's error handler, and the request does not pass.
 */
export type RequireAuth = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

declare module "fastify" {
  interface FastifyInstance {
    /** Requires a session: `app.get("/account", { preHandler: app.requireAuth }, ...)`. */
    readonly requireAuth: RequireAuth
    /** `requireAuth`, under the name that Fastify's own plugins use. */
    readonly authenticate: RequireAuth
  }
}

/** Creates the hook for the requests of an app. */
export function createRequireAuth(auths: RequestAuths): RequireAuth {
  return async (request, reply) => {
    const { auth, guard } = auths.get(request)
    const refusal = await guard()
    // The session of @fastify/session and similar plugins stays, even if they are registered later.
    if (!("session" in request)) Object.assign(request, { session: auth.session })
    return refusal ? reply.send(refusal) : undefined
  }
}
