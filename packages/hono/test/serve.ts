import type { AddressInfo } from "node:net"
import { type ServerType, serve as serveHono } from "@hono/node-server"
import type { RunningServer } from "@latchkey/testkit/integration"
import { onTestFinished } from "vitest"

type Fetch = Parameters<typeof serveHono>[0]["fetch"]

/** Starts an app with Hono's server for Node, on a free port of 127.0.0.1. */
export async function listen(fetch: Fetch): Promise<RunningServer> {
  const { promise, resolve } = Promise.withResolvers<AddressInfo>()
  const server: ServerType = serveHono({ fetch, hostname: "127.0.0.1", port: 0 }, resolve)
  const { port } = await promise
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      if ("closeAllConnections" in server) server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}

/** Starts an app, closes it after the test, and returns its origin. */
export async function serve(fetch: Fetch): Promise<string> {
  const { origin, close } = await listen(fetch)
  onTestFinished(close)
  return origin
}
