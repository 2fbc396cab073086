import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { findFreePort } from "@latchkey/testkit/servers"

/** A round-robin balancer over several ports, without sticky sessions. */
export interface Balancer {
  readonly origin: string
  /** The number of responses from each port. */
  readonly answered: ReadonlyMap<number, number>
  /** The number of lost responses, which become status 502. */
  readonly lost: () => number
  stop(): void
}

type Outcome = "answered" | "refused" | "lost"

export async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const answered = new Map(ports.map((port) => [port, 0]))
  const state = { next: 0, lost: 0 }

  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readBody(incoming)
    // A process that refuses the connection has not seen the request, so another one may get it.
    const first = state.next++
    for (const [index] of ports.entries()) {
      const port = ports[(first + index) % ports.length] ?? 0
      const outcome = await forward({ incoming, body, outgoing }, port)
      if (outcome === "answered") answered.set(port, (answered.get(port) ?? 0) + 1)
      if (outcome === "lost") state.lost += 1
      if (outcome !== "refused") return
    }
    outgoing.writeHead(502).end()
  }

  const own = await findFreePort()
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(own, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${own}`,
    answered,
    lost: () => state.lost,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Exchange {
  readonly incoming: IncomingMessage
  readonly body: Buffer
  readonly outgoing: ServerResponse
}

function forward({ incoming, body, outgoing }: Exchange, port: number): Promise<Outcome> {
  const { url = "/", method = "GET", headers } = incoming
  return new Promise((resolve) => {
    const lose = () => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
      resolve("lost")
    }
    // One connection per request: after an error on a reused one, it is unknown whether the request arrived.
    const upstream = request({ host: "127.0.0.1", port, path: url, method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      answer.once("end", () => resolve("answered"))
      answer.once("error", lose)
    })
    upstream.once("error", (error) => {
      if ("code" in error && error.code === "ECONNREFUSED") resolve("refused")
      else lose()
    })
    upstream.end(body)
  })
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  return Buffer.concat(chunks)
}
