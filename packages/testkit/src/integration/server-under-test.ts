import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import type { AuthConfig, CredentialsConfig } from "@latchkey/core/types"
import type { Canary } from "../log/leaks.js"

/** The person whom every server under test knows. */
export const integrationUser = {
  username: "ada",
  password: "correct horse",
  /** Not ASCII alone, so that a server that garbles text is found. */
  name: "Ada Lövelace 🔑",
  email: "ada@example.com",
} as const

const secret = "a secret of the integration suite, of no use elsewhere"

/** What no answer may hold. */
export const integrationSecrets: readonly Canary[] = [
  { name: "the service's secret", value: secret },
  { name: "the password", value: integrationUser.password },
]

const provider: CredentialsConfig = {
  id: "credentials",
  name: "Password",
  type: "credentials",
  credentials: { username: { label: "User name" }, password: { label: "Password", type: "password" } },
  authorize: ({ username, password }) => {
    const isKnown = username === integrationUser.username && password === integrationUser.password
    return isKnown ? { id: "1815", name: integrationUser.name, email: integrationUser.email } : null
  },
}

/**
 * The configuration of a server that {@link testIntegration} is to examine: one person who signs in by password, and
 * sessions in cookies. Without a base path, which is the integration's own.
 */
export function integrationConfig(): AuthConfig {
  return {
    providers: [provider],
    secret,
    trustHost: true,
    logger: { error: () => undefined, warn: () => undefined, debug: () => undefined },
  }
}

/** A server that listens, and how to end it. */
export interface RunningServer {
  /** Such as `http://127.0.0.1:3000`. */
  readonly origin: string
  close(): Promise<void>
}

/** Lets a listener of node:http (an Express app is one) serve on a free port of 127.0.0.1. */
export async function listen(listener: RequestListener): Promise<RunningServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // A server on a TCP port has no other kind of address.
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** What a framework that speaks `Request` and `Response` does with one request. Undefined: nothing; the answer is 404. */
export type WebListener = (
  request: Request,
  connection: { readonly clientAddress: string | undefined },
) => Promise<Response | undefined>

/** Lets such a function serve on node:http, as barely as it can be done. */
export function toWebListener(answer: WebListener): RequestListener {
  return async (incoming, outgoing) => {
    const request = await toRequest(incoming)
    const clientAddress = incoming.socket.remoteAddress
    const response = (await answer(request, { clientAddress })) ?? new Response("the app", { status: 404 })
    const cookies = response.headers.getSetCookie()
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "set-cookie": cookies })
    outgoing.end(incoming.method === "HEAD" ? undefined : new Uint8Array(await response.arrayBuffer()))
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
