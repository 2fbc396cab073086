import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type FakeIdentityProvider, fakeIdentityProvider } from "../identity-provider/identity-provider.js"
import { ada } from "../identity-provider/person.js"

/** The fake identity provider on a port of this machine, for an app that runs in a process of its own. */
export interface IdentityServer {
  readonly idp: FakeIdentityProvider
  /** Makes it honest again, with {@link ada} as its user. */
  reset(): void
  close(): Promise<void>
}

/**
 * Starts the fake identity provider on 127.0.0.1.
 * @param port 0 chooses a free one.
 * @throws Error if the port is taken
 */
export async function startIdentityServer(port: number): Promise<IdentityServer> {
  let answer: FakeIdentityProvider["handler"] = async () => new Response(null, { status: 503 })
  const server = createServer((request, response) => {
    reply(request, response, answer).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    )
  })
  await listen(server, port)
  // as: a TCP server that listens has an address with a port
  const { port: chosen } = server.address() as AddressInfo
  const idp = fakeIdentityProvider({
    issuer: `http://127.0.0.1:${chosen}`,
    clients: [{ client_id: "rp", client_secret: "playwright-client-secret" }],
  })
  answer = idp.handler
  return {
    idp,
    reset() {
      idp.faults.clear()
      idp.signInAs(ada)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EADDRINUSE") return reject(cause)
      const advice = "Run the tests that use it with one worker, or set another `idpPort`"
      reject(new Error(`The identity provider cannot listen on port ${port}, which is taken. ${advice}`, { cause }))
    })
    server.listen(port, "127.0.0.1", resolve)
  })
}

async function reply(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handler: FakeIdentityProvider["handler"],
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const method = incoming.method ?? "GET"
  const body = method === "GET" || method === "HEAD" ? null : Buffer.concat(chunks)
  const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "127.0.0.1"}`)
  const response = await handler(new Request(url, { method, headers, body }))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(Buffer.from(await response.arrayBuffer()))
}
