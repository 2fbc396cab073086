import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Adapter, AdapterSessionDetail } from "@latchkey/core/adapters"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { RedisAdapter } from "@latchkey/redis-adapter"
import { hasProgram, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { Redis } from "ioredis"
import { sql } from "kysely"
import { atMost, type Report } from "../report/report.ts"
import { formatNumber, median } from "../report/statistics.ts"
import type { Measurement } from "../scenario.ts"

/** 100,000 live sessions. */
const users = 2000
const sessionsOfUser = 50
const measuredUsers = 30
const goalMs = 5

export const trackedSessions: Measurement = {
  kind: "measurement",
  id: "tracked-sessions",
  title: "One user's 50 sessions among 100,000 live ones",
  async measure() {
    const results: Result[] = [await measureSqlite()]
    if (hasProgram("postgres")) results.push(await measurePostgres())
    if (hasProgram("redis-server")) results.push(await measureRedis())
    return toReport(results)
  },
}

interface Result {
  readonly store: string
  /** Milliseconds, by operation. */
  readonly times: Readonly<Record<"list" | "see" | "end", readonly number[]>>
}

function toReport(results: readonly Result[]): Report {
  const operations = ["list", "see", "end"] as const
  return {
    id: trackedSessions.id,
    title: trackedSessions.title,
    columns: ["milliseconds", "list", "see one", "end all"],
    rows: results.map(({ store, times }) => [store, ...operations.map((one) => formatNumber(median(times[one])))]),
    verdicts: results.flatMap(({ store, times }) =>
      (["list", "end"] as const).map((operation) => {
        const measured = median(times[operation])
        const goal = `${operation} under ${goalMs} ms, ${store}`
        return atMost(goalMs, measured, { goal, measured: `${formatNumber(measured)} ms` })
      }),
    ),
    notes: [
      "Stored sessions with details. To end them deletes 50 details and 50 rows of sessions. Each operation is measured with 30 users, each with another one; the servers run on this machine.",
    ],
  }
}

/** Measures the operations with the last users, whom `seed` has given stored sessions. */
async function measureStore(store: string, adapter: Adapter): Promise<Result> {
  const times = { list: [] as number[], see: [] as number[], end: [] as number[] }
  const [seenAt, expires] = [new Date(), new Date("2037-01-01T00:00:00.000Z")]
  for (let user = users - measuredUsers + 1; user <= users; user += 1) {
    const userId = `u${user}`
    const list = await time(times.list, async () => await adapter.listSessionsByUserId?.(userId))
    assert.equal(list?.length, sessionsOfUser)
    const seen = await time(
      times.see,
      async () => await adapter.seeSession?.({ id: `${user}-1`, userId, seenAt, expires }),
    )
    assert.equal(seen?.userId, userId)
    assert.equal(await time(times.end, async () => await adapter.endSessions?.({ userId })), sessionsOfUser)
  }
  return { store, times }
}

async function time<T>(times: number[], work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work()
  times.push(performance.now() - start)
  return result
}

const live = "2036-02-29T23:59:59.987Z"

/** @param count Selects the integers from 1 up to a limit, under a name. */
function seedStatements(count: (name: string, limit: number) => string): readonly string[] {
  const both = `${count("u", users)} cross join ${count("s", sessionsOfUser)}`
  return [
    `insert into "User" (id, email) select 'u' || u, u || '@example.com' from ${count("u", users)}`,
    `insert into "Session" ("sessionToken", "userId", expires) select u || '-' || s, 'u' || u, '${live}' from ${both}`,
    `insert into "SessionDetail" (id, "userId", "sessionToken", provider, "providerAccountId", "providerSession", amr,
       "createdAt", "lastSeenAt", expires)
     select u || '-' || s, 'u' || u, u || '-' || s, 'harbour', 'a' || u, 'p' || u || '-' || s, 'fed',
       '${live}', '${live}', '${live}' from ${both}`,
    "analyze",
  ]
}

async function measureSqlite(): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "latchkey-bench-"))
  const adapter = sqlite(join(folder, "app.db"))
  try {
    const count = (name: string, limit: number) =>
      `(with recursive numbers(${name}) as (select 1 union all select ${name} + 1 from numbers where ${name} < ${limit})
        select ${name} from numbers)`
    for (const statement of seedStatements(count)) adapter.database.exec(statement)
    return await measureStore("SQLite", adapter)
  } finally {
    adapter.close()
    rmSync(folder, { recursive: true })
  }
}

async function measurePostgres(): Promise<Result> {
  const server = await startPostgres()
  const adapter = postgres(server.url)
  try {
    await adapter.migrate()
    const count = (name: string, limit: number) => `generate_series(1, ${limit}) as ${name}`
    for (const statement of seedStatements(count)) await sql.raw(statement).execute(adapter.db)
    return await measureStore("PostgreSQL", adapter)
  } finally {
    await adapter.close()
    await server.stop()
  }
}

/** Only the measured users have stored sessions: the others take fewer commands to create. */
async function measureRedis(): Promise<Result> {
  const server = await startRedis()
  const client = new Redis(server.url)
  try {
    const adapter = RedisAdapter(client)
    for (let user = 1; user <= users; user += 1) {
      await adapter.createUser({ id: `u${user}`, email: `${user}@example.com`, emailVerified: null })
      const isStored = user > users - measuredUsers
      await Promise.all(
        Array.from({ length: sessionsOfUser }, async (_, index) => {
          const detail = sampleDetail(user, index + 1)
          const { id: sessionToken, userId, expires } = detail
          if (!isStored) return await adapter.createSessionDetail(detail)
          const session = { sessionToken, userId, expires }
          return await adapter.createSessionDetail({ ...detail, sessionToken }, { session })
        }),
      )
    }
    return await measureStore("Redis", adapter)
  } finally {
    client.disconnect()
    await server.stop()
  }
}

function sampleDetail(user: number, session: number): AdapterSessionDetail {
  const instant = new Date(live)
  return {
    id: `${user}-${session}`,
    userId: `u${user}`,
    sessionToken: null,
    provider: "harbour",
    providerAccountId: `a${user}`,
    providerSession: `p${user}-${session}`,
    amr: "fed",
    createdAt: new Date(),
    lastSeenAt: new Date(),
    expires: instant,
    userAgent: null,
    network: null,
    label: null,
  }
}
