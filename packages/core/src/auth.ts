import type { AuthConfig } from "./contract/config.js"
import type { AuthContext } from "./contract/context.js"
import { raw } from "./contract/markers.js"
import type { ResponseInternal } from "./contract/response.js"
import { serve, write } from "./serve.js"
import { getService } from "./service/service.js"
import { toRaw, toResponse } from "./web/to-response.js"

/**
 * Answers a request below the base path: sign-in, sign-out, sessions and the built-in pages.
 *
 * @param config The same object each time: what it says is worked out once and kept with it.
 * @param context What the integration knows of the connection. Without it, the visitor's address is not known.
 * @throws AuthError with the `raw` marker, for failures that would otherwise end on a page
 * @example
 * const response = await Auth(request, { providers: [GitHub], secret, trustHost: true })
 */
export function Auth(
  request: Request,
  config: AuthConfig & { raw: typeof raw },
  context?: AuthContext,
): Promise<ResponseInternal>
export function Auth(request: Request, config: Omit<AuthConfig, "raw">, context?: AuthContext): Promise<Response>
export async function Auth(
  request: Request,
  config: AuthConfig,
  context?: AuthContext,
): Promise<Response | ResponseInternal> {
  const service = getService(config)
  const isRaw = config.raw === raw
  const reply = await serve({ request, context }, service, { isRaw })
  return isRaw ? toRaw(reply) : write(reply, toResponse, service, { request, context })
}
