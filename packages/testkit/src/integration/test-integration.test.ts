import type { IncomingMessage } from "node:http"
import { Auth } from "@latchkey/core"
import { integrationConfig } from "./integration-config.js"
import { listen } from "./listen.js"
import { type RunningServer, testIntegration } from "./test-integration.js"

/** The barest server there is, so that the suite is seen to pass without any of the integrations. */
function start(): Promise<RunningServer> {
  const config = { ...integrationConfig(), basePath: "/auth" }
  return listen(async (incoming, outgoing) => {
    const request = await toRequest(incoming)
    const isService = /^\/auth(\/|$)/.test(new URL(request.url).pathname)
    const response = isService ? await Auth(request, config) : new Response("the app")
    const cookies = response.headers.getSetCookie()
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "set-cookie": cookies })
    outgoing.end(incoming.method === "HEAD" ? undefined : new Uint8Array(await response.arrayBuffer()))
  })
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
