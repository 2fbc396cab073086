import { type HostHeaders, type OriginOptions, resolveOrigin as resolveFromHeaders } from "@latchkey/core"
import { UntrustedHost } from "@latchkey/core/errors"
import type { NodeRequest } from "./node-request.js"

export type { OriginOptions } from "@latchkey/core"

/**
 * The origin of a request of node:http (or HTTP/2), as the core decides it; the host is that of `:authority` or of the
 * `Host` header, and the protocol what the socket says, unless the options know better.
 * @throws UntrustedHost when protocol or host is not one, so that neither can bring a user, path or query into a URL
 */
export function resolveOrigin(request: NodeRequest, options: OriginOptions): string {
  if (options.origin !== undefined) return options.origin
  if (options.host === undefined) assertOneHost(request)
  return resolveFromHeaders(hostHeaders(request), { ...options, socketProtocol: findProtocol(request) })
}

function hostHeaders({ headers }: NodeRequest): HostHeaders {
  return {
    get(name) {
      const value = name === "host" ? (headers[":authority"] ?? headers.host) : headers[name]
      return Array.isArray(value) ? value[0] : value
    },
  }
}

function findProtocol({ socket }: NodeRequest): string {
  return "encrypted" in socket && socket.encrypted === true ? "https" : "http"
}

/**
 * @throws UntrustedHost for several hosts, RFC 9112 section 3.2: Node keeps the first, a proxy may have used another
 */
function assertOneHost({ rawHeaders }: NodeRequest): void {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) if (rawHeaders[index]?.toLowerCase() === "host") count++
  if (count > 1) throw new UntrustedHost("The request has several Host headers. Mend what stands before this service")
}
