import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import type { Express } from "./expresses.js"

/** An app on 127.0.0.1 for the length of a test. Gives back its origin. */
export async function serve(app: Express): Promise<string> {
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // A server on a TCP port has no other kind of address.
  return `http://127.0.0.1:${port}`
}
