import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"

export interface Place {
  readonly origin: string
  /** Stops the app that runs here, and runs another. */
  deploy(listener: RequestListener): Promise<void>
  stop(): Promise<void>
}

/** A port of this machine, which stays the same. */
export async function openPlace(): Promise<Place> {
  let server: Server | null = null
  let port = 0
  async function stop(): Promise<void> {
    const running = server
    server = null
    if (!running) return
    running.closeAllConnections()
    await new Promise((resolve) => running.close(resolve))
  }
  async function deploy(listener: RequestListener): Promise<void> {
    await stop()
    const started = createServer(listener)
    await new Promise<void>((resolve) => started.listen(port, "localhost", resolve))
    port = (started.address() as AddressInfo).port // as: a server on a TCP port has an AddressInfo
    server = started
  }
  await deploy((_, res) => res.end())
  return { origin: `http://localhost:${port}`, deploy, stop }
}
