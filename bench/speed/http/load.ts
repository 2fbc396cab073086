// Sends one request to a server over keep-alive connections, in a process that takes nothing from the server's.
import { Agent, request as httpRequest, type IncomingMessage } from "node:http"

/** A request that is sent again and again. */
export interface LoadRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

export interface LoadOrder {
  readonly port: number
  readonly request: LoadRequest
  readonly connections: number
  readonly milliseconds: number
  /** Ends earlier, after as many requests. Default: no such end. */
  readonly requests?: number
}

/** Sent in answer to a `LoadOrder`. */
export interface Load {
  readonly requests: number
  readonly elapsedUs: number
  /** Status, cookie names and body of the last response. */
  readonly last: { readonly status: number; readonly cookies: readonly string[]; readonly body: string }
}

const agents = new Map<number, Agent>()

function getAgent(connections: number): Agent {
  const agent = agents.get(connections) ?? new Agent({ keepAlive: true, maxSockets: connections })
  agents.set(connections, agent)
  return agent
}

async function generateLoad(order: LoadOrder): Promise<Load> {
  const startedAt = performance.now()
  const { requests: limit = Number.POSITIVE_INFINITY } = order
  let last = await send(order)
  let requests = 1
  async function work(): Promise<void> {
    while (requests < limit && performance.now() - startedAt < order.milliseconds) {
      last = await send(order)
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: order.connections }, work))
  return { requests, elapsedUs: (performance.now() - startedAt) * 1000, last }
}

function send({ port, request, connections }: LoadOrder): Promise<Load["last"]> {
  const { method, path, headers, body } = request
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
    const options = { host: "127.0.0.1", port, method, path, headers: { ...headers, ...length } }
    const sent = httpRequest({ ...options, agent: getAgent(connections) }, (response) => {
      readText(response).then((text) => {
        const cookies = (response.headers["set-cookie"] ?? []).map((each) => each.split("=", 1)[0] ?? "")
        resolve({ status: response.statusCode ?? 0, cookies, body: text })
      }, reject)
    })
    sent.on("error", reject).end(body)
  })
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = ""
  for await (const piece of response.setEncoding("utf8")) text += piece
  return text
}

process.on("message", async (order: LoadOrder) => {
  process.send?.(await generateLoad(order))
})
process.on("disconnect", () => process.exit())
