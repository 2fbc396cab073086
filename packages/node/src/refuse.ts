import type { AuthConfig } from "@latchkey/core"
import { InvalidRequest } from "@latchkey/core/errors"

/**
 * Logs a request that could not be read and makes its answer.
 * @throws the error, when it is anything else
 */
export function refuse(error: unknown, logger?: AuthConfig["logger"]): Response {
  if (!(error instanceof InvalidRequest)) throw error
  if (logger?.error) logger.error(error)
  else console.error(`[auth][error] ${error.name}: ${error.message} (reference ${error.reference})`)
  return Response.json("Bad request.", { status: error.status })
}
