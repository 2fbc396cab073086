import { refuseRequest } from "../actions/failure.js"
import { Auth } from "../auth.js"
import { UntrustedHost } from "../errors/errors.js"
import { toResponse } from "../http/response.js"
import { type Caller, findOrigin } from "./caller.js"
import type { Settings } from "./settings.js"

/**
 * The service's answer to a Web request below the base path, under the origin by which visitors know the app: that of
 * `AUTH_URL`, else what the caller's framework found out. A host that is none is answered with 400.
 */
export async function answerRequest(request: Request, caller: Caller, settings: Settings): Promise<Response> {
  const { origin, pathname, search } = new URL(request.url)
  let publicOrigin: string
  try {
    publicOrigin = findOrigin(caller, settings)
  } catch (error) {
    if (error instanceof UntrustedHost) return toResponse(refuseRequest(error))
    throw error
  }
  // By its URL: some frameworks' requests are proxies, which `new Request(request)` cannot copy.
  const seen = origin === publicOrigin ? request : new Request(`${publicOrigin}${pathname}${search}`, request)
  return await Auth(seen, settings.config, caller.context)
}
