import type { Session } from "@latchkey/core"
import type { AccessToken, AccessTokenOptions } from "@latchkey/core/access-tokens"
import {
  createRequestState,
  getAccessToken as getTokenOf,
  type RequestAuth,
  type RequestState,
  readSession,
  requireFresh as requireFreshOf,
} from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { type FoundCaller, findCaller, keepPrivate, readSetCookies, readTarget, resolveSettings } from "@latchkey/node"
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
  const { caller, settings } = findCaller(request.raw, await resolveSettings(config, request), readOrigin(request))
  const { session } = await readSession(caller, settings)
  return session
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
function findState(request: FastifyRequest): RequestState | undefined {
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

/** A request with its reply, and the configuration. */
export interface FastifyExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly config: FastifyConfigSource
}

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactors`,
 * whose page `confirm` asks again, or `session.track`.
 * @returns The session. Null if the reply was sent: a page is redirected (303) to the page that asks, other clients get
 *   403 with `{ url }` and the challenge of RFC 9470, or 401 when signed out.
 * @throws AuthError when the configuration is invalid or has neither, or the store fails
 * @example
 * const session = await requireFresh({ request, reply, config }, { maxAgeSeconds: 600, factors: 2 })
 * if (!session) return reply
 */
export async function requireFresh(
  { request, reply, config }: FastifyExchange,
  options: RequireFreshOptions = {},
): Promise<FreshSession | null> {
  const { caller, settings } = findCaller(request.raw, await resolveSettings(config, request), readOrigin(request))
  const fresh = await requireFreshOf(caller, settings, { ...options, target: readTarget(request.raw) })
  if (!(fresh instanceof Response)) return fresh
  await reply
    .code(fresh.status)
    .headers(Object.fromEntries(fresh.headers))
    .send(await fresh.text())
  return null
}

/**
 * Returns an access token of a provider for the signed-in user. Refreshes it if it is due. Needs `accessTokens`. Tokens that are
 * kept in cookies are refreshed only in the scope of the plugin.
 * @throws AccessTokenUnavailable with the `reason`
 * @throws AuthError when the configuration is invalid or without `accessTokens`, or the store fails
 */
export async function getAccessToken(
  request: FastifyRequest,
  config: FastifyConfigSource,
  options: AccessTokenOptions,
): Promise<AccessToken> {
  const { caller, settings } = findCaller(request.raw, await resolveSettings(config, request), readOrigin(request))
  return getTokenOf(caller, settings, options, findState(request)?.writer)
}
