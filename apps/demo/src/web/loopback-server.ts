import { createServer, type RequestListener, type Server } from "node:http"
import { openOnFreePort } from "./free-port.js"
import { portOf } from "./port-of.js"

/** An HTTP server that only this machine can reach, open as `http://localhost:<port>`. */
export interface LoopbackServer {
  readonly port: number
  readonly origin: string
  /** Starts to answer. Until then requests wait, so that ports can be known before what depends on them is built. */
  serve(listener: RequestListener): void
  /** Ends every connection and gives the port back. */
  close(): Promise<void>
}

/** Listens on 127.0.0.1, and on ::1 where the machine has it, since browsers may take either for `localhost`. */
export async function listenOnLoopback(wantedPort: number): Promise<LoopbackServer> {
  const servers = await openOnFreePort(wantedPort, openBoth)
  const port = portOf(servers[0])
  return {
    port,
    origin: `http://localhost:${port}`,
    serve: (listener) => {
      for (const server of servers) server.on("request", listener)
    },
    close: async () => {
      await Promise.all(servers.map(close))
    },
  }
}

async function openBoth(port: number): Promise<readonly [Server, ...Server[]]> {
  const first = await open(port, "127.0.0.1")
  try {
    return [first, await open(portOf(first), "::1")]
  } catch (error) {
    if (isWithoutIpv6(error)) return [first]
    await close(first)
    throw error
  }
}

function open(port: number, host: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", reject)
      resolve(server)
    })
  })
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function isWithoutIpv6(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "EADDRNOTAVAIL" || error.code === "EAFNOSUPPORT")
}
