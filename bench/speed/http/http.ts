import assert from "node:assert/strict"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { user } from "../fixtures/host.ts"
import type { Effort, Measurement } from "../scenario.ts"
import type { Load } from "./load.ts"
import { nextMessage, startLoad, startProgram } from "./programs.ts"
import type { Library } from "./requests.ts"
import type { Framework, Serving } from "./server.ts"
import { libraries, type Server, type Turn, takeTurns, toHttpReport } from "./turns.ts"

const frameworks: readonly Framework[] = ["node", "express", "fastify", "hono"]

export const http: Measurement = {
  kind: "measurement",
  id: "http",
  title: "Over HTTP, requests per second of processor time",
  async measure(effort) {
    const load = startLoad()
    const turns: Turn[] = []
    try {
      // One framework at a time: its three servers take turns.
      for (const framework of frameworks) turns.push(...(await measureFramework(framework, load, effort)))
    } finally {
      load.disconnect()
    }
    return toHttpReport(turns, {
      id: http.id,
      title: http.title,
      nameOf,
      notes: [
        "@auth/core has an integration for Express alone; in node and Fastify its requests are converted by hand, in Hono it gets Hono's request.",
      ],
    })
  },
}

async function measureFramework(framework: Framework, load: ChildProcess, effort: Effort): Promise<readonly Turn[]> {
  const servers: Server[] = []
  try {
    for (const library of libraries) {
      const child = startProgram(join(import.meta.dirname, "server.ts"), framework, library)
      const { port, ...requests } = (await nextMessage(child)) as Serving
      servers.push({ library, child, port, requests })
    }
    return await takeTurns({ framework, servers, assertSession }, load, effort)
  } finally {
    for (const { child } of servers) child.disconnect()
  }
}

/** Throws unless the answer is the session of the user. */
export function assertSession({ status, body }: Load["last"]): void {
  assert.equal(status, 200, body)
  const { name, email, image } = user
  assert.partialDeepStrictEqual(JSON.parse(body), { user: { name, email, image } })
}

function nameOf(library: Library, framework: string): string {
  if (library !== "auth") return library
  return framework === "express" ? "@auth/express" : "@auth/core"
}
