import type { AuthConfig } from "./contract/config.js"
import type { AuthContext } from "./contract/context.js"
import type { AuthError } from "./errors/auth-error.js"
import { createLog } from "./log/log.js"

/** What is known of a request that never reached the service. */
export interface RejectedRequest {
  /** Where the host logs. Default: the console. */
  readonly logger?: AuthConfig["logger"]
  readonly headers: Headers
  readonly context?: AuthContext
}

/**
 * For integrations: logs and records a request that they refuse before the service sees it, as the service does with
 * its own.
 */
export function logRejectedRequest(error: AuthError, { logger, headers, context }: RejectedRequest): void {
  createLog(logger).error(error, { request: { headers }, context })
}
