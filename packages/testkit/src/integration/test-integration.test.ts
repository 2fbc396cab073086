import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Auth } from "@latchkey/core"
import { integrationConfig } from "./integration-config.js"
import { type RunningServer, testIntegration } from "./test-integration.js"

/** The barest server there is, so that the suite is seen to pass without any of the integrations. */
async function start(): Promise<RunningServer> {
  const config = { ...integrationConfig(), basePath: "/auth" }
  const server = createServer(async (incoming, outgoing) => {
    const request = await toRequest(incoming)
    const isService = /^\/auth(\/|$)/.test(new URL(request.url).pathname)
    const response = isService ? await Auth(request, config) : new Response("the app")
    const cookies = response.headers.getSetCookie()
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "set-cookie": cookies })
    outgoing.end(incoming.method === "HEAD" ? undefined : new Uint8Array(await response.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A server that listens on a port has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks = await incoming.toArray()
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  const body = chunks.length > 0 ? Buffer.concat(chunks) : null
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers,
    body,
  })
}

testIntegration({ name: "bare node:http", start })
