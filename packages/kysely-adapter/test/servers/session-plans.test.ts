import { DatabaseSync } from "node:sqlite"
import { type Database, KyselyAdapter } from "@latchkey/kysely-adapter"
import { migrate } from "@latchkey/kysely-adapter/migrations"
import { nodeSqliteDialect } from "@latchkey/kysely-adapter/sqlite"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { type CompiledQuery, type Dialect, Kysely, PostgresDialect, sql } from "kysely"
import { Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

// No statement on sessions may read the whole table, however many sessions are live.

const users = 1000
const sessionsOfUser = 20

/** Every user has as many stored sessions, all begun with one account and each with its own session at the provider. */
function seed(count: (n: string, limit: number) => string): readonly string[] {
  const both = `${count("u", users)} cross join ${count("s", sessionsOfUser)}`
  const live = "'2036-02-29T23:59:59.987Z'"
  return [
    `insert into "User" (id, email) select 'u' || u, u || '@example.com' from ${count("u", users)}`,
    `insert into "Session" ("sessionToken", "userId", expires) select u || '-' || s, 'u' || u, ${live} from ${both}`,
    `insert into "SessionDetail" (id, "userId", "sessionToken", provider, "providerAccountId", "providerSession", amr,
       "createdAt", "lastSeenAt", expires)
     select u || '-' || s, 'u' || u, u || '-' || s, 'harbour', 'a' || u, 'p' || u || '-' || s, 'fed', ${live}, ${live}, ${live}
     from ${both}`,
    `analyze`,
  ]
}

/** What a host does with one user's sessions, each with another user. */
async function useSessions(db: Kysely<Database>): Promise<void> {
  const adapter = KyselyAdapter(db)
  const [seenAt, expires] = [new Date("2026-05-05T05:05:05.005Z"), new Date("2037-03-29T01:30:00.321Z")]
  expect(await adapter.listSessionsByUserId?.("u1")).toHaveLength(sessionsOfUser)
  expect(await adapter.seeSession?.({ id: "1-1", userId: "u1", seenAt, expires })).toMatchObject({ lastSeenAt: seenAt })
  expect(await adapter.endSessions?.({ userId: "u2" })).toBe(sessionsOfUser)
  expect(await adapter.endSessions?.({ userId: "u3", except: "3-1" })).toBe(sessionsOfUser - 1)
  expect(await adapter.endSessions?.({ userId: "u4", id: "4-1" })).toBe(1)
  expect(await adapter.endSessions?.({ provider: "harbour", providerSession: "p5-1" })).toBe(1)
  expect(await adapter.endSessions?.({ provider: "harbour", providerAccountId: "a6" })).toBe(sessionsOfUser)
  await adapter.deleteSession("7-1")
  await adapter.deleteUser("u8")
}

/** Fills a new database, and returns the statements that use it. */
async function run(dialect: Dialect, count: Parameters<typeof seed>[0]): Promise<readonly CompiledQuery[]> {
  const queries: CompiledQuery[] = []
  const db = new Kysely<Database>({ dialect, log: ({ query }) => void queries.push(query) })
  await migrate(db)
  for (const text of seed(count)) await sql.raw(text).execute(db)
  queries.length = 0
  await useSessions(db)
  // A setting of the connection is not in a table.
  const isOfTable = (text: string) => !text.includes("1 = 0") && !text.includes("pragma_")
  return queries.filter(({ sql: text }) => /^(select|update|delete)/.test(text) && isOfTable(text))
}

describe("the statements on sessions in SQLite", () => {
  const count = (n: string, limit: number) =>
    `(with recursive numbers(${n}) as (select 1 union all select ${n} + 1 from numbers where ${n} < ${limit})
      select ${n} from numbers)`

  it("use indexes, and so do the foreign keys that delete details", async () => {
    const database = new DatabaseSync(":memory:")
    const queries = await run(nodeSqliteDialect(database), count)
    expect(queries.length).toBeGreaterThan(10)
    const cascades = ["userId", "sessionToken"].map((column) => ({
      sql: `delete from "SessionDetail" where "${column}" = ?`,
      parameters: ["1"],
    }))
    for (const { sql: text, parameters } of [...queries, ...cascades]) {
      const plan = database.prepare(`explain query plan ${text}`).all(...(parameters as string[])) // as: text and numbers
      for (const { detail } of plan) expect(detail, text).not.toMatch(/^SCAN/)
    }
  })
})

describe.skipIf(!hasProgram("postgres"))("the statements on sessions in PostgreSQL", () => {
  let server: DatabaseServer
  let pool: Pool
  beforeAll(async () => {
    server = await startPostgres()
    pool = new Pool({ connectionString: server.url })
    pool.on("error", () => undefined)
  }, 60_000)
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  it("use indexes", async () => {
    const count = (n: string, limit: number) => `generate_series(1, ${limit}) as ${n}`
    const queries = await run(new PostgresDialect({ pool }), count)
    expect(queries.length).toBeGreaterThan(10)
    for (const { sql: text, parameters } of queries) {
      const { rows } = await pool.query(`explain ${text}`, [...parameters])
      const plan = rows.map((row: Readonly<Record<string, string>>) => row["QUERY PLAN"]).join("\n")
      expect(plan, text).not.toContain("Seq Scan")
    }
  })
})
