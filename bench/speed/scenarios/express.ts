import assert from "node:assert/strict"
import type { ChildProcess } from "node:child_process"
import { join } from "node:path"
import { sessionCookieName } from "../fixtures/host.ts"
import { assertSession } from "../http/http.ts"
import type { Load } from "../http/load.ts"
import {
  connections,
  type LoadedServer,
  measureLoad,
  nextMessage,
  startLoad,
  startProgram,
  warmUpServer,
} from "../http/programs.ts"
import { atLeast, atMost, type Report } from "../report/report.ts"
import { formatNumber, formatSpread, median } from "../report/statistics.ts"
import type { Effort, Measurement } from "../scenario.ts"
import type { ExpressTargetId, Listening } from "./express-server.ts"

const ids: readonly ExpressTargetId[] = ["latchkey", "auth-express", "express-and-limit", "express-alone"]

export const express: Measurement = {
  kind: "measurement",
  id: "express",
  title: "Express over HTTP, session with cookie",
  async measure(effort) {
    const load = startLoad()
    const servers: Server[] = []
    try {
      for (const id of ids) servers.push(await startServer(id))
      return toReport(await takeTurns(servers, load, effort))
    } finally {
      for (const child of [...servers.map((server) => server.child), load]) child.disconnect()
    }
  },
}

interface Server {
  readonly id: ExpressTargetId
  readonly child: ChildProcess
  readonly listening: Listening
}

interface Turn {
  /** Of the server process, for each request. */
  readonly cpuUs: number
  readonly perSecond: number
}

async function takeTurns(
  servers: readonly Server[],
  load: ChildProcess,
  { slices, sliceMs }: Effort,
): Promise<ReadonlyMap<ExpressTargetId, readonly Turn[]>> {
  const turns = new Map<ExpressTargetId, Turn[]>(servers.map(({ id }) => [id, []]))
  for (const server of servers) await warmUpServer(load, toLoaded(server))
  for (let slice = 0; slice < slices; slice += 1) {
    for (const server of servers) turns.get(server.id)?.push(await runTurn(server, load, sliceMs * 2))
  }
  return turns
}

async function runTurn(server: Server, load: ChildProcess, milliseconds: number): Promise<Turn> {
  const { cpuUs, requests, elapsedUs, last } = await measureLoad(load, toLoaded(server), milliseconds)
  assertDone(server.id, last)
  return { cpuUs, perSecond: (requests * 1e6) / elapsedUs }
}

function toLoaded({ child, listening }: Server): LoadedServer {
  const headers = { cookie: listening.cookie, accept: "application/json", "x-forwarded-proto": "https" }
  return { child, port: listening.port, request: { method: "GET", path: "/auth/session", headers } }
}

function assertDone(id: ExpressTargetId, last: Load["last"]): void {
  assertSession(last)
  assert.ok(last.cookies.includes(sessionCookieName), `${id} sets no session cookie`)
}

function toReport(turns: ReadonlyMap<ExpressTargetId, readonly Turn[]>): Report {
  const cpu = (id: ExpressTargetId) => (turns.get(id) ?? []).map(({ cpuUs }) => cpuUs)
  const timesOf = (a: ExpressTargetId, b: ExpressTargetId) => median(cpu(a)) / median(cpu(b))
  const fasterThanPeer = timesOf("auth-express", "latchkey")
  const timesLimit = timesOf("latchkey", "express-and-limit")
  const peerText = {
    goal: "an eighth of @auth/express's processor time",
    measured: `${formatNumber(fasterThanPeer)} times less`,
  }
  const limitText = {
    goal: "at most 1.35 times Express and the limit",
    measured: `${formatNumber(timesLimit)} times`,
  }
  return {
    id: express.id,
    title: express.title,
    columns: ["target", "processor µs a request", "spread", "times ours", "requests a second"],
    rows: [...turns].map(([id, list]) => [
      id,
      formatNumber(median(cpu(id))),
      formatSpread(cpu(id)),
      formatNumber(timesOf(id, "latchkey")),
      Math.round(median(list.map(({ perSecond }) => perSecond))).toString(),
    ]),
    verdicts: [atLeast(8, fasterThanPeer, peerText), atMost(1.35, timesLimit, limitText, 2.2)],
    notes: [
      `${connections} keep-alive connections from a separate process; the processor time is the server process's.`,
      "express-and-limit decrypts, encrypts and writes directly to Node's response; express-alone always sends the same response.",
    ],
  }
}

async function startServer(id: ExpressTargetId): Promise<Server> {
  const child = startProgram(join(import.meta.dirname, "express-server.ts"), id)
  return { id, child, listening: (await nextMessage(child)) as Listening }
}
