import { UntrustedHost } from "../errors/request.js"
import type { AllowedOrigins } from "./allowed-origins.js"
import { describeHost, type HostHeaders } from "./shown-host.js"

/**
 * Refuses an address under which the service is not to be reached: one that is not listed, and without a list a host
 * with a trailing dot, which is another origin to browsers than the one without.
 * @param allowed Null: the host said nothing.
 * @param headers The request's headers, for the log.
 */
export function findForeignOrigin(
  url: URL,
  allowed: AllowedOrigins | null,
  headers: HostHeaders,
): UntrustedHost | null {
  if (allowed ? allowed.includes(url) : !url.hostname.endsWith(".")) return null
  const request = `The request is for ${url.origin}, by the host ${describeHost(headers, url.host)}`
  return new UntrustedHost(
    allowed
      ? `${request}, which is not in allowedOrigins. If people reach the service there, add "${url.origin}"`
      : `${request}, which ends with a dot. If people reach the service there, list it: allowedOrigins: ["${url.origin}"]`,
  )
}
