import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { RunningServer } from "./test-integration.js"

/** Lets a listener of node:http (an Express app is one) serve on a free port of 127.0.0.1. */
export async function listen(listener: RequestListener): Promise<RunningServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // A server on a TCP port has no other kind of address.
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
