import type { Session } from "@latchkey/core"
import { createRequestState, type RequestAuth, type RequestState } from "@latchkey/core/integration"
import { type FoundCaller, getSession as getNodeSession, keepPrivate, readSetCookies } from "@latchkey/node"
import type { FastifyReply, FastifyRequest } from "fastify"
import { type FastifyConfigSource, readOrigin } from "./config.js"

declare module "fastify" {
  interface FastifyRequest {
    /** The session and the actions of the request. */
    readonly auth: RequestAuth
  }
}

/**
 * Returns the current session, or null when signed out. Does not renew it. In the scope of the plugin,
 * `request.auth.getSession()` reads it once for each request and renews it.
 * @throws AuthError when the session cannot be read, so a failure never looks like being signed out
 */
export async function getSession(request: FastifyRequest, config: FastifyConfigSource): Promise<Session | null> {
  const found = typeof config === "function" ? await config(request) : config
  return await getNodeSession(request.raw, found, readOrigin(request))
}

/** The session and the actions of each request, and their cookies. */
export interface RequestStates {
  get(request: FastifyRequest): RequestState
  /** Adds the pending cookies to those that the response already sets. */
  sendCookies(request: FastifyRequest, reply: FastifyReply): void
}

/** In the scope of the plugin. Each is created when it is first used. */
const states = new WeakMap<FastifyRequest, RequestState>()

/** The state of a request in the scope of the plugin. Undefined outside of it. */
export function findState(request: FastifyRequest): RequestState | undefined {
  // Reading the decorator creates the state. Outside of the scope there is none.
  return request.auth && states.get(request)
}

export function createRequestStates(findCaller: (request: FastifyRequest) => Promise<FoundCaller>): RequestStates {
  return {
    get(request) {
      const state = states.get(request) ?? createRequestState(() => findCaller(request))
      states.set(request, state)
      return state
    },
    sendCookies(request, reply) {
      const lines = states.get(request)?.takeCookies(readSetCookies(reply)) ?? []
      for (const line of lines) reply.header("set-cookie", line)
      // On the raw response, which later hooks of the app cannot change any more.
      if (lines.length > 0) keepPrivate(reply.raw)
    },
  }
}
