import type { AuthContext } from "../contract/context.js"
import type { IncomingRequest } from "../contract/incoming-request.js"

/** The request that a record is about. */
export interface Scene {
  readonly request?: Pick<IncomingRequest, "headers">
  readonly context?: Pick<AuthContext, "requestId"> | undefined
  /** From the path, and so untrusted. */
  readonly providerId?: string | undefined
  /** The user whom it turned out to be about. */
  readonly userId?: string | undefined
}

/** What proxies and frameworks make: UUIDs, trace ids, base 64. */
const plainId = /^[\w.:/+=-]{1,128}$/

/** The id of each request that brought none, as long as the request lives. */
const ownIds = new WeakMap<object, string>()

/** The same for all records of one request. Anybody can send the header, so only what is plain text is taken. */
export function findRequestId({ request, context }: Scene): string {
  const stated = context?.requestId ?? request?.headers.get("x-request-id") ?? ""
  if (plainId.test(stated)) return stated
  const own = (request && ownIds.get(request)) ?? crypto.randomUUID()
  if (request) ownIds.set(request, own)
  return own
}
