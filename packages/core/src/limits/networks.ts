import type { AuthConfig } from "../contract/config.js"
import { AuthError } from "../errors/auth-error.js"
import { toError } from "../errors/to-error.js"
import type { Log } from "../log/log.js"
import { type Client, findClient } from "../web/find-client.js"
import { toBodilessRequest } from "../web/host-request.js"
import { type IpRange, parseIpAddress, toNetwork } from "../web/ip-address.js"
import type { Visit } from "../web/visit.js"

/** Finds the network that a visit came from. Null: it is not known, which the log is told once. */
export type FindNetwork = (visit: Visit) => string | null

export interface NetworksNeeds {
  readonly trustedProxies: readonly IpRange[]
  readonly clientAddress: AuthConfig["clientAddress"]
  readonly log: Log
}

export function createFindNetwork({ trustedProxies, clientAddress, log }: NetworksNeeds): FindNetwork {
  function find({ request, context }: Visit): Client {
    if (!clientAddress) return findClient(request.headers, context, trustedProxies)
    const address = parseIpAddress(askHost(clientAddress, { request, context }, log) ?? "")
    return address ? { address } : { address: null, reason: "no-address" }
  }

  return (visit) => {
    const client = find(visit)
    if (client.address) return toNetwork(client.address)
    log.warnOnce(client.reason === "unnamed-proxy" ? "proxy-not-trusted" : "client-address-unknown")
    return null
  }
}

function askHost(
  clientAddress: NonNullable<AuthConfig["clientAddress"]>,
  { request, context }: Pick<Visit, "request" | "context">,
  log: Log,
): string | undefined {
  try {
    const address: unknown = clientAddress(toBodilessRequest(request))
    return typeof address === "string" ? address.trim() : undefined
  } catch (error) {
    // Whether somebody may sign in does not hang on where they are.
    log.error(new AuthError("clientAddress failed", toError(error)), { request, context })
    return undefined
  }
}
