import { type BoundAuth, bindAuth, type UserAuth } from "@latchkey/core/integration"
import { type FoundCaller, keepPrivate, readSetCookies, readTarget } from "@latchkey/node"
import type { FastifyReply, FastifyRequest } from "fastify"

declare module "fastify" {
  interface FastifyRequest {
    /** The session and the actions of the request. */
    readonly auth: UserAuth
  }
}

/** The session and the actions of each request, and their cookies. */
export interface RequestAuths {
  get(request: FastifyRequest): BoundAuth<Response>
  /** Adds the pending cookies to those that the response already sets. */
  sendCookies(request: FastifyRequest, reply: FastifyReply): void
}

/** Each is created when it is first used. */
export function createRequestAuths(findCaller: (request: FastifyRequest) => Promise<FoundCaller>): RequestAuths {
  const auths = new WeakMap<FastifyRequest, BoundAuth<Response>>()
  return {
    get(request) {
      const bound = auths.get(request) ?? bind(request, () => findCaller(request))
      auths.set(request, bound)
      return bound
    },
    sendCookies(request, reply) {
      const bound = auths.get(request)
      const lines = bound?.takeCookies(readSetCookies(reply)) ?? []
      reply.headers(bound?.takeHeaders() ?? {})
      for (const line of lines) reply.header("set-cookie", line)
      // On the raw response, which later hooks of the app cannot change any more.
      if (bound && (lines.length > 0 || bound.hasRefused())) keepPrivate(reply.raw, bound.hasRefused)
    },
  }
}

/** Fastify sends a `Response` that a handler returns. */
function bind({ raw }: FastifyRequest, findCaller: () => Promise<FoundCaller>): BoundAuth<Response> {
  return bindAuth<Response>({ findCaller, readTarget: () => readTarget(raw), refuse: (response) => response })
}
