// Requests the session from a server over keep-alive connections, in a process that takes nothing from the server's.
import { Agent, get, type IncomingMessage } from "node:http"
import type { Listening } from "./express-server.ts"

export interface LoadOrder extends Listening {
  readonly connections: number
  readonly milliseconds: number
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
  let last = await fetchSession(order)
  let requests = 1
  async function work(): Promise<void> {
    while (performance.now() - startedAt < order.milliseconds) {
      last = await fetchSession(order)
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: order.connections }, work))
  return { requests, elapsedUs: (performance.now() - startedAt) * 1000, last }
}

function fetchSession({ port, cookie, connections }: LoadOrder): Promise<Load["last"]> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, accept: "application/json", "x-forwarded-proto": "https" }
    const path = "/auth/session"
    get({ host: "127.0.0.1", port, path, headers, agent: getAgent(connections) }, (response) => {
      readText(response).then((body) => {
        const cookies = (response.headers["set-cookie"] ?? []).map((each) => each.split("=", 1)[0] ?? "")
        resolve({ status: response.statusCode ?? 0, cookies, body })
      }, reject)
    }).on("error", reject)
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
