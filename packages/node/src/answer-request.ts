import { type Answer, type AuthContext, type IncomingRequest, respond } from "@latchkey/core"
import { isBelow } from "@latchkey/core/integration"
import { toIncomingRequest } from "./incoming-request.js"
import type { NodeRequest } from "./node-request.js"
import { readContext } from "./read-context.js"
import { refuse } from "./refuse.js"
import type { Settings } from "./settings.js"
import { readTarget, toPath, type WebRequestOptions } from "./web-request.js"

/** What is known of a request besides what Node says of it. */
export interface AnswerOptions extends WebRequestOptions {
  /** Where it came from, where a framework has looked through its proxies. Default: the socket's address. */
  readonly context?: AuthContext | undefined
}

/**
 * The service's answer to a request; null when the request is not below the base path.
 * @param options `url`: the target as visitors know it.
 */
export async function answerRequest(
  request: NodeRequest,
  settings: Settings,
  options: AnswerOptions,
): Promise<Answer | null> {
  const url = options.url ?? readTarget(request)
  if (!isBelow(toPath(url), settings.basePath)) return null
  let incoming: IncomingRequest
  try {
    incoming = toIncomingRequest(request, { ...options, url, origin: settings.origin })
  } catch (error) {
    return refuse(error, request, settings.config.logger)
  }
  return await respond(incoming, settings.config, options.context ?? readContext(request))
}
