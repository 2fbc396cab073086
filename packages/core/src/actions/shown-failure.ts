import { isLoopbackHost } from "../oauth/endpoint-address.js"
import type { DeveloperDetails } from "../pages/page-frame.js"
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

/** Whether the developer sits at the machine itself, and no proxy stands between. */
export function isLoopback({ url, request }: Visit): boolean {
  const isForwarded = request.headers.has("x-forwarded-for") || request.headers.has("forwarded")
  return !isForwarded && isLoopbackHost(url.hostname)
}
