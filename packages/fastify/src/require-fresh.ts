import { requireFresh as requireFreshOf } from "@latchkey/core/integration"
import type { FreshSession, RequireFreshOptions } from "@latchkey/core/sessions"
import { findCaller, readTarget, resolveSettings } from "@latchkey/node"
import type { FastifyReply, FastifyRequest } from "fastify"
import { type FastifyConfigSource, readOrigin } from "./config.js"

/** A request with its reply, and the configuration. */
export interface FastifyExchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly config: FastifyConfigSource
}

/**
 * Requires that the signed-in user proved a short time ago who they are, such as before a payment. Needs `secondFactor`,
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
  const found = typeof config === "function" ? await config(request) : config
  const { caller, settings } = findCaller(request.raw, await resolveSettings(found, request.raw), readOrigin(request))
  const fresh = await requireFreshOf(caller, settings, { ...options, target: readTarget(request.raw) })
  if (!(fresh instanceof Response)) return fresh
  await reply
    .code(fresh.status)
    .headers(Object.fromEntries(fresh.headers))
    .send(await fresh.text())
  return null
}
