import type { Caller } from "@latchkey/core/integration"
import type { RequestEvent } from "@sveltejs/kit"

/** What is read of an event to know who sent it. */
export type CallerEvent = Pick<RequestEvent, "request" | "url" | "getClientAddress">

/**
 * The visitor behind an event. Browsers say where a form came from, and the service refuses what came from elsewhere;
 * SvelteKit's forms need no csrf token besides. Who does not say it needs one.
 */
export function toCaller({ request, url, getClientAddress }: CallerEvent): Caller {
  const { headers } = request
  const context = { clientAddress: findAddress(getClientAddress), isVerifiedForm: headers.has("origin") }
  return { headers, protocol: url.protocol, host: url.host, context }
}

/** SvelteKit throws while it prerenders, and where the adapter cannot say. */
function findAddress(getClientAddress: () => string): string | undefined {
  try {
    return getClientAddress()
  } catch {
    return undefined
  }
}

/** A request that SvelteKit makes while it builds: nobody sent it, and the secrets of the server may be elsewhere. */
export function isNobody({ headers, context }: Caller): boolean {
  return context?.clientAddress === undefined && !headers.has("cookie")
}
