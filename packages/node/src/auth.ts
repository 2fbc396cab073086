import { type BoundAuth, bindAuth, type ConfigSource, type UserAuth } from "@latchkey/core/integration"
import { type CallerOptions, findCaller, type NodeRequest, resolveSettings } from "./config.js"
import { readTarget } from "./request.js"
import { keepPrivate, type NodeResponse, sendWebResponse, toCookieWriter } from "./response.js"

const auths = new WeakMap<NodeRequest, Map<unknown, BoundAuth<null>>>()

/**
 * Returns the session, the actions and the signed-in user of a request. `requireAuth` and `requireFresh` send the response
 * to a request that they refuse, and return null.
 * @param config Needs `basePath` if it is not `/auth`.
 * @example
 * const session = await auth(req, res, config).requireAuth()
 * if (!session) return
 */
export function auth<Req extends NodeRequest>(
  req: Req,
  res: NodeResponse,
  config: ConfigSource<Req>,
  options: CallerOptions = {},
): UserAuth<null> {
  return bindExchange(req, res, config, options).auth
}

/** Like {@link auth}, with a guard for middleware. Binds once for each request and configuration. */
export function bindExchange<Req extends NodeRequest>(
  req: Req,
  res: NodeResponse,
  config: ConfigSource<Req>,
  options: CallerOptions = {},
): BoundAuth<null> {
  const known = auths.get(req) ?? new Map<unknown, BoundAuth<null>>()
  const bound =
    known.get(config) ??
    bindAuth<null>({
      findCaller: async () => findCaller(req, await resolveSettings(config, req), options),
      readTarget: () => readTarget(req),
      writer: toCookieWriter(res),
      setHeaders(headers) {
        for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
      },
      async refuse(response) {
        keepPrivate(res, () => true)
        await sendWebResponse(response, res)
        return null
      },
    })
  auths.set(req, known.set(config, bound))
  return bound
}

/** The `auth` that was already bound to a request. */
export function findBound(req: NodeRequest, config: unknown): UserAuth<null> | undefined {
  return auths.get(req)?.get(config)?.auth
}
