import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import type { AuthConfig, CredentialsConfig } from "@latchkey/core/types"
import { memoryAdapter } from "../adapter/memory-adapter.js"
import type { Canary } from "../log/leaks.js"
import { createMailbox, type Mailbox, testEmail } from "../mail/mailbox.js"

/** The user of {@link integrationConfig}. */
export const integrationUser = {
  id: "1815",
  username: "ada",
  password: "correct horse",
  /** Contains non-ASCII characters, to detect encoding errors. */
  name: "Ada Lövelace 🔑",
  email: "ada@example.com",
} as const

const secret = "the secret of the integration suite, used nowhere else"

/** Secrets that no response may contain. */
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
    return isKnown ? { id: integrationUser.id, name: integrationUser.name, email: integrationUser.email } : null
  },
}

/** The mails of all servers in this process. */
export const integrationMailbox: Mailbox = createMailbox()

/**
 * Returns the configuration for a server under {@link testIntegration}: one user with a password, mails with codes for
 * everyone, and sessions in cookies. It has no base path; each integration has its own.
 */
export function integrationConfig(): AuthConfig {
  const { sendVerificationRequest } = integrationMailbox
  return {
    providers: [provider, testEmail({ code: true, sendVerificationRequest })],
    adapter: memoryAdapter(),
    session: { strategy: "jwt" },
    secret,
    trustHost: true,
    logger: { error: () => undefined, warn: () => undefined, debug: () => undefined },
  }
}

/**
 * Headers with which shared caches store a response. For the page that an app under test serves at
 * `cachedPage`: it reads the session, then sets these headers.
 */
export const publicCaching: Readonly<Record<string, string>> = {
  "cache-control": "public, max-age=600, s-maxage=600",
  "cdn-cache-control": "max-age=600",
  "surrogate-control": "max-age=600",
  expires: "Wed, 01 Jan 2098 00:00:00 GMT",
}

/** The headers of {@link publicCaching} and the like that let shared caches store a response. */
export function findSharedCaching(headers: Headers): readonly string[] {
  const found = Object.keys(publicCaching).filter((name) => name !== "cache-control" && headers.has(name))
  const cacheControl = headers.get("cache-control") ?? ""
  const isPrivate = /\b(?:private|no-store)\b/.test(cacheControl) && !/public|s-maxage/.test(cacheControl)
  return isPrivate ? found.filter((name) => name !== "expires") : [...found, `cache-control: ${cacheControl}`]
}

/** A server that listens on a port. */
export interface RunningServer {
  /** The server's origin, such as `http://127.0.0.1:3000`. */
  readonly origin: string
  /** Closes all connections and stops the server. */
  close(): Promise<void>
}

/** Starts a server for a `node:http` listener, such as an Express app, on a free port of 127.0.0.1. */
export async function listen(listener: RequestListener): Promise<RunningServer> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo // as: a server on a TCP port has an AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Handles a request with the types of the Fetch API. Undefined becomes a 404 response. */
export type WebListener = (
  request: Request,
  connection: { readonly clientAddress: string | undefined },
) => Promise<Response | undefined>

/** Converts a handler of the Fetch API to a minimal `node:http` listener. */
export function toWebListener(handle: WebListener): RequestListener {
  return async (incoming, outgoing) => {
    const request = toRequest(incoming)
    const clientAddress = incoming.socket.remoteAddress
    const response = (await handle(request, { clientAddress })) ?? new Response("the app", { status: 404 })
    const cookies = response.headers.getSetCookie()
    outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), "set-cookie": cookies })
    outgoing.end(incoming.method === "HEAD" ? undefined : new Uint8Array(await response.arrayBuffer()))
  }
}

/** The body is the stream of the connection, which a canceled body closes, as in the servers of frameworks. */
function toRequest(incoming: IncomingMessage): Request {
  const { method = "GET", url } = incoming
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value))
  // `duplex` is missing from some type libraries, but required for a stream.
  const init: RequestInit & { duplex: "half" } = { method, headers, duplex: "half" }
  // as: the types of Node's streams and of the global ones differ in methods that are not called
  if (hasBody(incoming)) init.body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
  return new Request(`http://${incoming.headers.host}${url}`, init)
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === "GET" || method === "HEAD") return false
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0
}
