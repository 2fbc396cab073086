import type { AuthError } from "./errors/auth-error.js"
import { toAnswer, toRaw, toResponse } from "./http/response.js"
import { createLog } from "./log/log.js"
import { serve, write } from "./serve.js"
import { getService } from "./service.js"
import { raw } from "./types/basics.js"
import type { AuthConfig } from "./types/config.js"
import type { Answer, AuthContext, IncomingRequest, ResponseInternal } from "./types/http.js"

/**
 * Answers a request below the base path: sign-in, sign-out, sessions and the built-in pages.
 *
 * @param config Pass the same object each time: it is resolved once.
 * @param context The connection, as far as the integration knows it. Without it, the client's address is unknown.
 * @throws AuthError with the `raw` marker, for failures that would otherwise redirect to a page
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
  return isRaw ? toRaw(reply) : write(reply, toResponse, service, { headers: request.headers, context })
}

/**
 * Like `Auth`, for servers that do not use `Request` and `Response`. Creating a `Response` and reading it back would take
 * longer than answering most requests.
 * @param config Pass the same object each time. Its `raw` is ignored.
 */
export async function respond(request: IncomingRequest, config: AuthConfig, context?: AuthContext): Promise<Answer> {
  const service = getService(config)
  const reply = await serve({ request, context }, service, { isRaw: false })
  return write(reply, toAnswer, service, { headers: request.headers, context })
}

/** A request that an integration rejected before it reached the service. */
export interface RejectedRequest {
  /** Default: the console. */
  readonly logger?: AuthConfig["logger"]
  readonly headers: Headers
  readonly context?: AuthContext
}

/** Logs and records a request that an integration rejects before the service sees it. */
export function logRejectedRequest(error: AuthError, { logger, headers, context }: RejectedRequest): void {
  createLog(logger).error(error, { headers, context })
}
