import type { UserAuth } from "@latchkey/core/integration"
import type { H3Event } from "h3"
import { auth } from "./instance.js"

/**
 * The session and the actions of a request, for server routes and server middleware.
 * @example export default defineEventHandler(async (event) => (await getAuth(event).getSession())?.user)
 */
export function getAuth(event: H3Event): UserAuth {
  return auth.getAuth(event)
}
