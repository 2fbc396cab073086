import { createServer, type RequestListener, type Server } from "node:http"
import type { Server as TcpServer } from "node:net"

/** An HTTP server that only this machine can reach, at `http://localhost:<port>`. */
export interface LoopbackServer {
  readonly port: number
  readonly origin: string
  /** Starts to answer. Requests wait until then, so that a port can be known before the app that needs it is built. */
  serve(listener: RequestListener): void
  /** Ends every connection and releases the port. */
  close(): Promise<void>
}

/** Listens on 127.0.0.1, and on ::1 where available: browsers resolve `localhost` to either. */
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
    if (hasCode(error, noIpv6)) return [first]
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

/** The TCP port of a listening server. @throws when it does not listen on a port */
export function portOf(server: TcpServer): number {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.")
  return address.port
}

/** How many ports after the wanted one are tried before any free port is used. */
const neighborCount = 20

/**
 * Opens a server on the wanted port, else on one of the next ports, else on any free port. 0 means any free port.
 * @param open Listens on the port; rejects when it is in use.
 */
export async function openOnFreePort<T>(wanted: number, open: (port: number) => Promise<T>): Promise<T> {
  for (const port of candidates(wanted)) {
    try {
      return await open(port)
    } catch (error) {
      if (!hasCode(error, inUse)) throw error
    }
  }
  throw new Error("No free port was found on this machine.")
}

function candidates(wanted: number): readonly number[] {
  // A port that is free on IPv4 may be in use on IPv6, so one try is not enough.
  const any = [0, 0, 0]
  if (wanted === 0) return any
  const near = Array.from({ length: neighborCount + 1 }, (_, step) => wanted + step).filter((port) => port <= 65_535)
  return [...near, ...any]
}

const inUse: ReadonlySet<unknown> = new Set(["EADDRINUSE", "EACCES"])
const noIpv6: ReadonlySet<unknown> = new Set(["EADDRNOTAVAIL", "EAFNOSUPPORT"])

function hasCode(error: unknown, codes: ReadonlySet<unknown>): boolean {
  return error instanceof Error && "code" in error && codes.has(error.code)
}
