import { Auth } from "@latchkey/core"
import type { NodeRequest } from "./node-request.js"
import { refuse } from "./refuse.js"
import { isBelow, type Settings } from "./settings.js"
import { readTarget, toPath, toWebRequest, type WebRequestOptions } from "./web-request.js"

/**
 * The service's answer to a request; null when the request is not below the base path.
 * @param options `url`: the target as visitors know it.
 */
export async function answerRequest(
  request: NodeRequest,
  settings: Settings,
  options: WebRequestOptions,
): Promise<Response | null> {
  const url = options.url ?? readTarget(request)
  if (!isBelow(toPath(url), settings.basePath)) return null
  let webRequest: Request
  try {
    webRequest = toWebRequest(request, { ...options, url, origin: settings.origin })
  } catch (error) {
    return refuse(error, settings.config.logger)
  }
  return await Auth(webRequest, settings.config)
}
