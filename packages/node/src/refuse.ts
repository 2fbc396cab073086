import { type Answer, type AuthConfig, logRejectedRequest } from "@latchkey/core"
import { InvalidRequest, UntrustedHost } from "@latchkey/core/errors"
import { fromNodeHeaders } from "./headers.js"
import type { NodeRequest } from "./node-request.js"
import { readContext } from "./read-context.js"

/** What a request may be refused for before the service sees it. */
export function isRefusal(error: unknown): error is InvalidRequest | UntrustedHost {
  return error instanceof InvalidRequest || error instanceof UntrustedHost
}

/**
 * Logs a request that could not be read and makes its answer.
 * @throws the error, when it is anything else
 */
export function refuse(error: unknown, request: NodeRequest, logger?: AuthConfig["logger"]): Answer {
  if (!isRefusal(error)) throw error
  const arrival = { headers: fromNodeHeaders(request.headers), context: readContext(request) }
  logRejectedRequest(error, logger ? { ...arrival, logger } : arrival)
  return jsonAnswer("Bad request.", error instanceof InvalidRequest ? error.status : 400)
}

export function jsonAnswer(value: unknown, status: number): Answer {
  return { status, headers: [["content-type", "application/json"]], body: JSON.stringify(value) }
}
