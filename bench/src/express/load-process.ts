// Asks a server for the session over so many kept connections, for so long, and tells how often it was answered.
import { Agent, get, type IncomingMessage } from "node:http"
import type { Load, LoadOrder } from "./messages.ts"

const agents = new Map<number, Agent>()

function agentFor(connections: number): Agent {
  const agent = agents.get(connections) ?? new Agent({ keepAlive: true, maxSockets: connections })
  agents.set(connections, agent)
  return agent
}

function ask({ port, cookie, connections }: LoadOrder): Promise<Load["last"]> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, accept: "application/json", "x-forwarded-proto": "https" }
    const path = "/auth/session"
    get({ host: "127.0.0.1", port, path, headers, agent: agentFor(connections) }, (response) => {
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

async function generateLoad(order: LoadOrder): Promise<Load> {
  const startedAt = performance.now()
  let requests = 0
  let last = await ask(order)
  async function work(): Promise<void> {
    while (performance.now() - startedAt < order.milliseconds) {
      last = await ask(order)
      requests += 1
    }
  }
  await Promise.all(Array.from({ length: order.connections }, work))
  return { requests: requests + 1, elapsedUs: (performance.now() - startedAt) * 1000, last }
}

process.on("message", async (order: LoadOrder) => {
  process.send?.(await generateLoad(order))
})
process.on("disconnect", () => process.exit())
