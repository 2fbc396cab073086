import { AuthError, toError } from "../errors/auth-error.js"
import { type Client, findClient } from "../http/client-address.js"
import { parseIpAddress, parseIpRange } from "../http/ip-address.js"
import { type AuthRequest, toBodilessRequest } from "../http/request.js"
import type { Log } from "../log/log.js"
import type { AuthConfig } from "../types/config.js"
import type { ResolvedConfig } from "../types/resolved.js"

/** A request whose sender is looked for. */
export type SentRequest = Pick<AuthRequest, "headers" | "url" | "method" | "context">

/** Finds the client's address: by the app's `clientAddress`, else by the connection and `trustedProxies`. */
export function createFindClient(
  { trustedProxies, clientAddress }: Pick<ResolvedConfig, "trustedProxies" | "clientAddress">,
  log: Log,
): (request: SentRequest) => Client {
  const ranges = trustedProxies.flatMap((text) => parseIpRange(text) ?? [])
  return (request) => {
    if (!clientAddress) return findClient(request.headers, request.context, ranges)
    const address = parseIpAddress(callHost(clientAddress, request, log) ?? "")
    return address ? { address } : { address: null, reason: "no-address" }
  }
}

function callHost(
  clientAddress: NonNullable<AuthConfig["clientAddress"]>,
  request: SentRequest,
  log: Log,
): string | undefined {
  try {
    const address: unknown = clientAddress(toBodilessRequest(request))
    return typeof address === "string" ? address.trim() : undefined
  } catch (error) {
    // Sign-ins must not depend on the address.
    log.error(new AuthError("clientAddress failed", toError(error)), request)
    return undefined
  }
}
