import type { AuthConfig, AuthContext } from "@latchkey/core"
import { type OriginOptions, readContext as readNodeContext } from "@latchkey/node"
import type { FastifyRequest } from "fastify"

/** Where a request came from. */
export type ContextReader = (request: FastifyRequest, config: Pick<AuthConfig, "trustedProxies">) => AuthContext

/** Protocol and host as the app's `trustProxy` option wants them seen. */
export function readArrival({ protocol, host, raw: { headers } }: FastifyRequest): OriginOptions {
  const own = headers.host ?? headers[":authority"] ?? ""
  // Without a forwarded host the bridge looks at the request's own, and whether there are several.
  return { protocol, host: host === own ? undefined : host }
}

/**
 * What the app's `trustProxy` option makes of the visitor's address, unless `trustedProxies` says more. `true` believes
 * whoever sends the header, so that visitors could choose their address: then the socket's counts.
 */
export function createContextReader(): ContextReader {
  let trustsAll: boolean | undefined
  return (request, { trustedProxies }) => {
    const context = { ...readNodeContext(request.raw), requestId: request.id }
    if (trustedProxies !== undefined || request.ip === context.clientAddress) return context
    trustsAll ??= trustsEverybody(request)
    return trustsAll ? context : { ...context, clientAddress: request.ip, isForwarded: true }
  }
}

/** Asks the app's own rule about a request that came from nowhere, by more proxies than there are. */
function trustsEverybody(request: FastifyRequest): boolean {
  const hops = Array.from({ length: 64 }, (_, hop) => `198.51.100.${hop}`)
  const socket = { remoteAddress: "203.0.113.1" }
  const raw = { headers: { "x-forwarded-for": hops.join(", ") }, socket, connection: socket }
  const stranger: FastifyRequest = Object.create(request, { raw: { value: raw } })
  return stranger.ip === hops[0]
}
