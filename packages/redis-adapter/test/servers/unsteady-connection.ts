import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** A proxy to a server that can lose its connection. */
export interface UnsteadyConnection {
  readonly url: string
  /** Forwards the next request and closes the connection when the server responds. */
  loseNextResponse(): void
  close(): Promise<void>
}

export async function unsteadyConnection(serverUrl: string): Promise<UnsteadyConnection> {
  const state = { losesResponse: false }
  const open = new Set<Socket>()
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(serverUrl).port), "127.0.0.1")
    const cut = () => {
      for (const socket of [client, server]) socket.destroy()
    }
    for (const socket of [client, server]) {
      open.add(socket)
      socket.on("error", cut)
      socket.on("close", () => {
        open.delete(socket)
        cut()
      })
    }
    client.on("data", (chunk) => server.write(chunk))
    server.on("data", (chunk) => {
      if (!state.losesResponse) return client.write(chunk)
      state.losesResponse = false
      return cut()
    })
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  const address = proxy.address()
  if (typeof address !== "object" || address === null) throw new Error("The proxy has no port")
  return {
    url: `redis://127.0.0.1:${address.port}`,
    loseNextResponse() {
      state.losesResponse = true
    },
    async close() {
      for (const socket of open) socket.destroy()
      proxy.close()
      await once(proxy, "close")
    },
  }
}
