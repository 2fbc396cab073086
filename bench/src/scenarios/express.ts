import assert from "node:assert/strict"
import type { Effort } from "../effort.ts"
import type { ExpressTargetId } from "../express/host.ts"
import type { Load } from "../express/messages.ts"
import { type LoadGenerator, type RemoteServer, startLoadGenerator, startServer } from "../express/remote.ts"
import { sessionCookieName } from "../fixtures/host.ts"
import { person } from "../fixtures/person.ts"
import { formatNumber, formatSpread } from "../report/format.ts"
import type { Report } from "../report/report.ts"
import { median } from "../report/statistics.ts"
import { atLeast, atMost } from "../report/verdict.ts"
import type { Measurement } from "../scenario.ts"

const connections = 32
const ids: readonly ExpressTargetId[] = ["latchkey", "auth-express", "express-and-limit", "express-alone"]

interface Turn {
  readonly cpuUs: number
  readonly perSecond: number
}

export const expressSession: Measurement = {
  kind: "measurement",
  id: "express",
  title: "Express over HTTP, session with cookie",
  async measure(effort) {
    const load = startLoadGenerator()
    const servers: RemoteServer[] = []
    try {
      for (const id of ids) servers.push(await startServer(id))
      return toReport(await takeTurns(servers, load, effort))
    } finally {
      for (const each of [...servers, load]) each.close()
    }
  },
}

async function takeTurns(
  servers: readonly RemoteServer[],
  load: LoadGenerator,
  { slices, sliceMs, warmUpMs }: Effort,
): Promise<ReadonlyMap<ExpressTargetId, readonly Turn[]>> {
  const turns = new Map<ExpressTargetId, Turn[]>(servers.map(({ id }) => [id, []]))
  for (const milliseconds of [1, warmUpMs * 2]) for (const server of servers) await runTurn(server, load, milliseconds)
  for (let slice = 0; slice < slices; slice += 1) {
    for (const server of servers) turns.get(server.id)?.push(await runTurn(server, load, sliceMs * 2))
  }
  return turns
}

async function runTurn(server: RemoteServer, load: LoadGenerator, milliseconds: number): Promise<Turn> {
  const before = await server.readCpu()
  const { requests, elapsedUs, last } = await load.run({ ...server.listening, connections, milliseconds })
  const after = await server.readCpu()
  assertDone(server.id, last)
  return { cpuUs: (after.cpuUs - before.cpuUs) / requests, perSecond: (requests * 1e6) / elapsedUs }
}

function assertDone(id: ExpressTargetId, { status, cookies, body }: Load["last"]): void {
  assert.equal(status, 200, id)
  assert.ok(cookies.includes(sessionCookieName), `${id} sets no session cookie`)
  const { name, email, image } = person
  assert.partialDeepStrictEqual(JSON.parse(body), { user: { name, email, image } })
}

function toReport(turns: ReadonlyMap<ExpressTargetId, readonly Turn[]>): Report {
  const cpu = (id: ExpressTargetId) => (turns.get(id) ?? []).map(({ cpuUs }) => cpuUs)
  const timesOf = (a: ExpressTargetId, b: ExpressTargetId) => median(cpu(a)) / median(cpu(b))
  const peers = timesOf("auth-express", "latchkey")
  const limits = timesOf("latchkey", "express-and-limit")
  return {
    id: expressSession.id,
    title: expressSession.title,
    columns: ["target", "processor µs a request", "spread", "times ours", "requests a second"],
    rows: [...turns].map(([id, list]) => [
      id,
      formatNumber(median(cpu(id))),
      formatSpread(cpu(id)),
      formatNumber(timesOf(id, "latchkey")),
      Math.round(median(list.map(({ perSecond }) => perSecond))).toString(),
    ]),
    verdicts: [
      atLeast(6, peers, {
        goal: "a sixth of @auth/express's processor time",
        measured: `${formatNumber(peers)} times less`,
      }),
      atMost(
        1.25,
        limits,
        { goal: "at most 1.25 times Express and the limit", measured: `${formatNumber(limits)} times` },
        2.2,
      ),
    ],
    notes: [
      `${connections} kept connections, asked by a process of its own; the processor time is the server process's.`,
      "express-and-limit decrypts and encrypts and writes straight to Node's response; express-alone always answers the same.",
    ],
  }
}
