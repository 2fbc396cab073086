import { decideGuard, refusalText, type Settings } from "@latchkey/node"
import type { FastifyReply, FastifyRequest } from "fastify"
import { readOrigin } from "./config.js"
import type { RequestStates } from "./session.js"

/**
 * A hook that requires a session, and sets `request.auth.session` (and `request.session`, unless the app has its own).
 * Without a session a page load is redirected to the sign-in page (303) and returns afterwards; every other request gets
 * 401. Errors go to the app's error handler, and the request does not pass.
 */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

declare module "fastify" {
  interface FastifyInstance {
    /** Requires a session: `app.get("/account", { preHandler: app.authenticate }, ...)`. */
    readonly authenticate: Authenticate
  }
}

/** Creates the hook for the sessions and the settings of an app. */
export function createAuthenticate(
  states: RequestStates,
  findSettings: (request: FastifyRequest) => Promise<Settings>,
): Authenticate {
  return async (request, reply) => {
    const session = await states.get(request).auth.getSession()
    // The session of @fastify/session and similar plugins stays, even if they are registered later.
    if (!("session" in request)) Object.assign(request, { session })
    if (session?.user) return
    const answer = decideGuard(request.raw, await findSettings(request), readOrigin(request))
    if (answer.kind === "pass") return
    reply.headers(answer.headers)
    if (answer.kind === "signIn") return reply.redirect(answer.url, 303)
    return reply.code(401).send({ message: refusalText })
  }
}
