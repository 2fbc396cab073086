import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"

/** A request that arrived over HTTP. */
export interface ArrivedMail {
  readonly method: string
  /** The URL that the request was for. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** A mail service on this machine. */
export interface MailServer {
  /** Sends every request to this server. */
  readonly fetch: typeof fetch
  readonly arrived: readonly ArrivedMail[]
  /** Sets the response to all further requests. */
  answer(next: (response: ServerResponse) => void): void
  close(): Promise<void>
}

/** Listens on a local port. Answers 200 and `{}` by default. */
export async function openMailServer(): Promise<MailServer> {
  const arrived: ArrivedMail[] = []
  let answer = (response: ServerResponse): void => void response.end("{}")
  const server = createServer(
    listener(async (request, response) => {
      const { method = "", headers } = request
      arrived.push({ method, url: String(headers["x-meant-for"]), headers, body: await text(request) })
      answer(response)
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // as: a server on a port has this kind of address.
  const { port } = server.address() as AddressInfo
  return {
    arrived,
    async fetch(input, init) {
      const headers = { ...Object.fromEntries(new Headers(init?.headers)), "x-meant-for": String(input) }
      return fetch(`http://127.0.0.1:${port}/`, { ...init, headers })
    },
    answer(next) {
      answer = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function listener(answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>): RequestListener {
  return (request, response) =>
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error))
}

/** The fields of a multipart form. */
export async function readForm({ headers, body }: ArrivedMail): Promise<Readonly<Record<string, unknown>>> {
  const response = new Response(body, { headers: { "content-type": String(headers["content-type"]) } })
  return Object.fromEntries(await response.formData())
}
