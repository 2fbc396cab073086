import { isLoopbackHost } from "../oauth/endpoint-address.js"
import type { DeveloperDetails } from "../pages/page-frame.js"
import { isForwarded } from "../web/forwarded.js"
import { isLoopbackAddress } from "../web/ip-address.js"
import type { Visit } from "../web/visit.js"
import type { ActionNeeds } from "./needs.js"
import { findReference } from "./reference.js"

/** What a page says of the failure that led to it. */
export interface ShownFailure {
  readonly reference?: string
  readonly errorProvider?: string | undefined
  readonly providerError?: string | undefined
  readonly details?: DeveloperDetails
}

export type FailureNeeds = Pick<ActionNeeds, "referenceCookie" | "failures">

/** The reference is for everybody; what the log says is for a developer who looks at the page on their own machine. */
export function findFailure(visit: Visit, { referenceCookie, failures }: FailureNeeds): ShownFailure {
  const found = findReference(referenceCookie, visit.cookies, visit.url.searchParams.get("error"))
  if (!found) return {}
  const details = isLoopback(visit) ? failures.find(found.reference) : undefined
  return { ...found, ...(details && { details }) }
}

/**
 * Whether the developer sits at the machine itself, and no proxy stands between. The host is what the visitor says;
 * where the socket's address is known, that has to be this machine's as well.
 */
export function isLoopback({ url, request, context }: Visit): boolean {
  const { clientAddress } = context
  const isHere = clientAddress === undefined || isLoopbackAddress(clientAddress)
  return isHere && !isForwarded(request.headers) && isLoopbackHost(url.hostname)
}
