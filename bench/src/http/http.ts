import assert from "node:assert/strict"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { user } from "../fixtures/host.ts"
import { atLeast, type Report, type Verdict } from "../report/report.ts"
import { formatNumber, formatSpread, median } from "../report/statistics.ts"
import type { Effort, Measurement } from "../scenario.ts"
import type { Load } from "../scenarios/express-load.ts"
import { connections, measureLoad, nextMessage, startProgram } from "./programs.ts"
import type { Framework, Library, Serving } from "./server.ts"

const frameworks: readonly Framework[] = ["node", "express", "fastify", "hono"]
const libraries: readonly Library[] = ["latchkey", "auth", "better-auth"]
const actions = ["session", "signIn"] as const
type Action = (typeof actions)[number]

export const http: Measurement = {
  kind: "measurement",
  id: "http",
  title: "Over HTTP, requests per second of processor time",
  async measure(effort) {
    const load = startProgram(join(import.meta.dirname, "..", "scenarios", "express-load.ts"))
    const turns: Turn[] = []
    try {
      // One framework at a time: its three servers take turns.
      for (const framework of frameworks) turns.push(...(await measureFramework(framework, load, effort)))
    } finally {
      load.disconnect()
    }
    return toReport(turns)
  },
}

interface Turn {
  readonly framework: Framework
  readonly library: Library
  readonly action: Action
  /** Of the server process, for each request. */
  readonly cpuUs: number
}

interface Server {
  readonly library: Library
  readonly child: ChildProcess
  readonly serving: Serving
}

async function measureFramework(framework: Framework, load: ChildProcess, effort: Effort): Promise<readonly Turn[]> {
  const servers: Server[] = []
  try {
    for (const library of libraries) {
      const child = startProgram(join(import.meta.dirname, "server.ts"), framework, library)
      servers.push({ library, child, serving: (await nextMessage(child)) as Serving })
    }
    const turns: Turn[] = []
    for (const action of actions) {
      for (const server of servers) await runTurn(server, load, action, effort.warmUpMs * 2)
      for (let slice = 0; slice < effort.slices; slice += 1) {
        for (const server of servers) {
          const cpuUs = await runTurn(server, load, action, effort.sliceMs * 2)
          turns.push({ framework, library: server.library, action, cpuUs })
        }
      }
    }
    return turns
  } finally {
    for (const { child } of servers) child.disconnect()
  }
}

async function runTurn(
  { library, child, serving }: Server,
  load: ChildProcess,
  action: Action,
  milliseconds: number,
): Promise<number> {
  const server = { child, port: serving.port, request: serving[action] }
  const { cpuUs, last } = await measureLoad(load, server, milliseconds)
  assertDone(action, library, last)
  return cpuUs
}

function assertDone(action: Action, library: Library, { status, cookies, body }: Load["last"]): void {
  assert.equal(status, action === "signIn" && library !== "better-auth" ? 302 : 200, body)
  if (action === "signIn") {
    const isSet = cookies.some((name) => name.includes("session"))
    assert.ok(isSet, "no session cookie")
  } else {
    const { name, email, image } = user
    assert.partialDeepStrictEqual(JSON.parse(body), { user: { name, email, image } })
  }
}

function toReport(turns: readonly Turn[]): Report {
  const cpu = (framework: Framework, library: Library, action: Action) =>
    turns
      .filter((turn) => turn.framework === framework && turn.library === library && turn.action === action)
      .map(({ cpuUs }) => cpuUs)
  const cells = (framework: Framework, library: Library, action: Action) => {
    const own = cpu(framework, library, action)
    const ratio = median(own) / median(cpu(framework, "latchkey", action))
    return [Math.round(1e6 / median(own)).toString(), formatSpread(own), formatNumber(ratio)]
  }
  const columns = ["session checks", "spread", "times ours", "sign-ins", "spread", "times ours"]
  return {
    id: http.id,
    title: http.title,
    columns: ["framework and library", ...columns],
    rows: frameworks.flatMap((framework) =>
      libraries.map((library) => [
        `${framework}, ${library === "auth" ? nameOfAuth(framework) : library}`,
        ...actions.flatMap((action) => cells(framework, library, action)),
      ]),
    ),
    verdicts: frameworks.flatMap((framework) =>
      actions.flatMap((action) =>
        libraries.slice(1).map((peer): Verdict => {
          const times = median(cpu(framework, peer, action)) / median(cpu(framework, "latchkey", action))
          const name = peer === "auth" ? nameOfAuth(framework) : peer
          const what = action === "session" ? "a session check" : "a sign-in with credentials"
          const goal = `${what} in ${framework} takes no more processor time than with ${name}`
          return atLeast(1, times, { goal, measured: `${formatNumber(times)} times less` })
        }),
      ),
    ),
    notes: [
      `${connections} keep-alive connections from a separate process; the processor time is the server process's. Session checks and sign-ins are requests for each second of it; times ours compares processor time.`,
      "@auth/core has an integration for Express alone; in node and Fastify its requests are converted by hand, in Hono it gets Hono's request.",
      "Sessions are stateless; better-auth reads its encrypted cookie cache, does not renew it, and stores the session of a sign-in in memory. Passwords are compared as they are.",
    ],
  }
}

function nameOfAuth(framework: Framework): string {
  return framework === "express" ? "@auth/express" : "@auth/core"
}
