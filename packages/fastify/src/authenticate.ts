import { decideGuard, refusalText } from "@latchkey/node"
import type { FastifyReply, FastifyRequest } from "fastify"
import { readArrival } from "./arrival.js"
import type { Visitors } from "./visitors.js"

/**
 * A hook that lets signed-in people through, with `request.auth.session` set (and `request.session`, unless the app has
 * one of its own). Others who load a page are sent to the sign-in page (303) and come back afterwards; all other
 * requests are answered with 401. What fails goes to the app's error handler: nobody gets through.
 */
export type Authenticate = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

declare module "fastify" {
  interface FastifyInstance {
    /** Lets signed-in people through: `app.get("/account", { preHandler: app.authenticate }, ...)`. */
    readonly authenticate: Authenticate
  }
}

export function createAuthenticate(visitors: Visitors): Authenticate {
  return async (request, reply) => {
    const { auth, findSettings } = visitors.get(request)
    const session = await auth.getSession()
    // Those of @fastify/session and its kin stand, whichever was registered first.
    if (!("session" in request)) Object.assign(request, { session })
    if (session?.user) return
    const answer = decideGuard(request.raw, await findSettings(), readArrival(request))
    if (answer.kind === "pass") return
    if (answer.kind === "signIn") return reply.redirect(answer.url, 303)
    return reply.code(401).send({ message: refusalText })
  }
}
