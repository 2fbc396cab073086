import type { AuthError } from "../errors/auth-error.js"
import { InvalidRequest } from "../errors/invalid-request.js"
import { json, type Reply } from "../web/reply.js"
import { noStore } from "./no-store.js"

/** A request that could not even be read is answered by a status, not by a page. */
export function refuseRequest(error: AuthError): Reply {
  const allow = error.cause?.["allow"]
  const headers = { ...noStore, ...(typeof allow === "string" && { allow }) }
  return json("Bad request.", { status: error instanceof InvalidRequest ? error.status : 400, headers })
}

/**
 * An answer that could not be written, such as what the host's `session` callback returned: nothing of it is given
 * away.
 */
export function refuseUnwritten({ reference }: AuthError): Reply {
  const message = `The answer could not be written. The server log has the details (reference ${reference}).`
  return json({ message }, { status: 500, headers: noStore })
}
