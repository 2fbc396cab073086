import type { AuthContext } from "@latchkey/core"
import type { NodeRequest } from "./node-request.js"

/**
 * What Node knows of a request's connection: nothing on a Unix socket, and when it is gone. And the id that the app's
 * log gave the request.
 */
export function readContext({ socket, id }: Pick<NodeRequest, "socket" | "id">): AuthContext {
  const address: unknown = "remoteAddress" in socket ? socket.remoteAddress : undefined
  return {
    clientAddress: typeof address === "string" ? address : undefined,
    requestId: typeof id === "string" ? id : undefined,
  }
}
