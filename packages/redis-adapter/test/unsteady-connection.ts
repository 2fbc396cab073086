import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** A way to a server that can be cut. */
export interface UnsteadyConnection {
  readonly url: string
  /** Passes the next request on, and cuts the connection when the server answers. */
  loseNextAnswer(): void
  close(): Promise<void>
}

export async function unsteadyConnection(serverUrl: string): Promise<UnsteadyConnection> {
  const state = { isAnswerLost: false }
  const open = new Set<Socket>()
  const proxy = createServer((visitor) => {
    const server = connect(Number(new URL(serverUrl).port), "127.0.0.1")
    const cut = () => {
      for (const socket of [visitor, server]) socket.destroy()
    }
    for (const socket of [visitor, server]) {
      open.add(socket)
      socket.on("error", cut)
      socket.on("close", () => {
        open.delete(socket)
        cut()
      })
    }
    visitor.on("data", (chunk) => server.write(chunk))
    server.on("data", (chunk) => {
      if (!state.isAnswerLost) return visitor.write(chunk)
      state.isAnswerLost = false
      return cut()
    })
  }).listen(0, "127.0.0.1")
  await once(proxy, "listening")
  const address = proxy.address()
  if (typeof address !== "object" || address === null) throw new Error("The system gave no port")
  return {
    url: `redis://127.0.0.1:${address.port}`,
    loseNextAnswer() {
      state.isAnswerLost = true
    },
    async close() {
      for (const socket of open) socket.destroy()
      proxy.close()
      await once(proxy, "close")
    },
  }
}
