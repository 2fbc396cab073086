import { answerRequest } from "./answer-request.js"
import { type NodeListener, toListener } from "./node-listener.js"
import type { NodeRequest } from "./node-request.js"
import { type ConfigSource, resolveSettings } from "./settings.js"

/** How the server is reached. */
export interface NodeHandlerOptions {
  /**
   * Believes `X-Forwarded-Proto` and `X-Forwarded-Host`. Only for a server that nobody reaches but through a proxy that
   * sets both. Not needed where `AUTH_URL` says the public address. Default: false.
   */
  readonly trustProxy?: boolean
}

/**
 * Mounts the service on node:http: `createServer(toNodeHandler(config))`.
 *
 * Answers what is below the base path (`basePath`, else the path of `AUTH_URL`, else `/auth`). Other requests go to
 * `next`; without one they are answered with 404.
 * @param config The configuration, or a function that finds the one for a request.
 */
export function toNodeHandler(config: ConfigSource<NodeRequest>, options: NodeHandlerOptions = {}): NodeListener {
  return toListener(async (request, response) => {
    const settings = await resolveSettings(config, request)
    return await answerRequest(request, settings, { trustProxy: options.trustProxy, response })
  })
}
