import type { Server } from "node:net"

/** The TCP port on which a server listens. @throws Error when it listens on none. */
export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.")
  return address.port
}
