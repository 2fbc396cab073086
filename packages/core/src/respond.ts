import type { Answer } from "./contract/answer.js"
import type { AuthConfig } from "./contract/config.js"
import type { AuthContext } from "./contract/context.js"
import type { IncomingRequest } from "./contract/incoming-request.js"
import { serve, write } from "./serve.js"
import { getService } from "./service/service.js"
import { toAnswer } from "./web/to-response.js"

/**
 * As `Auth`, for integrations with servers that do not speak `Response`: making one and reading it back costs more than
 * most of what is between.
 * @param config The same object each time: what it says is worked out once and kept with it. Its `raw` is not looked
 *   at.
 */
export async function respond(request: IncomingRequest, config: AuthConfig, context?: AuthContext): Promise<Answer> {
  const service = getService(config)
  const reply = await serve({ request, context }, service, { isRaw: false })
  return write(reply, toAnswer, service, { request, context })
}
