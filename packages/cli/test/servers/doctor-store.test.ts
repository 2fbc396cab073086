import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { hasProgram, startMariadb, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { type Kysely, sql } from "kysely"
import { afterAll, describe, expect, it } from "vitest"
import { type Diagnosis, diagnose, production, removeApps, writeApp } from "../doctor/app.js"

afterAll(removeApps)

/** Runs doctor on an app with this adapter. */
function look(imported: string, adapter: string, url: string): Promise<Diagnosis> {
  const text = `${imported}\nexport default {\n  adapter: ${adapter},\n  session: { strategy: "jwt" },\n  providers: [],\n}\n`
  return diagnose(writeApp({ "auth.ts": text }), { ...production, DATABASE_URL: url })
}

const found = ({ findings }: Diagnosis) => findings.map(({ code, fixes: [fix] }) => `${code}: ${fix?.text}`)

/** How many rows all tables have together. */
async function countRows(db: Kysely<never>): Promise<number> {
  const tables = (await db.introspection.getTables()).map(({ name }) => name)
  const counts = await Promise.all(
    tables.map((name) => sql<{ n: number | string }>`select count(*) as n from ${sql.table(name)}`.execute(db)),
  )
  return counts.reduce((sum, { rows: [row] }) => sum + Number(row?.n), 0)
}

const databases = [
  { name: "PostgreSQL", program: "postgres", start: startPostgres, open: postgres, call: "postgres" },
  { name: "MariaDB", program: "mariadbd", start: startMariadb, open: mysql, call: "mysql" },
] as const

describe.each(databases)("latchkey doctor on an app with $name", ({ program, start, open, call }) => {
  it.skipIf(!hasProgram(program))("names what the database lacks, and leaves no row behind", async () => {
    const server = await start()
    const adapter = open(server.url)
    const lookHere = () =>
      look(
        `import { ${call} } from "@latchkey/kysely-adapter/${call}"`,
        `${call}(process.env.DATABASE_URL)`,
        server.url,
      )
    try {
      expect(found(await lookHere())).toEqual(["tables: npx --no latchkey migrate"])
      await adapter.migrate()
      // as: only the names of the tables are read.
      const db = adapter.db as unknown as Kysely<never>
      const before = await countRows(db)
      expect(await lookHere()).toMatchObject({ code: 0, findings: [], unchecked: [] })
      expect(await countRows(db)).toBe(before)
      const isMysql = call === "mysql"
      const [account, token] = [sql.table("Account"), sql.ref("access_token")]
      const unique = sql.ref("Account_provider_providerAccountId_key")
      await (isMysql
        ? sql`alter table ${account} modify ${token} varchar(255), drop index ${unique}`
        : sql`alter table ${account} alter column ${token} type varchar(255)`
      ).execute(db)
      if (!isMysql) await sql`drop index ${unique}`.execute(db)
      await sql`alter table ${sql.table("Authenticator")} drop column ${sql.ref("name")}`.execute(db)
      const codes = (await lookHere()).findings.map(({ code }) => code)
      expect(codes.toSorted()).toEqual(["columns", "columns", "indexes"])
    } finally {
      await adapter.close()
      await server.stop()
    }
    const { findings, text } = await lookHere()
    expect(findings).toMatchObject([{ code: "store-unreachable", fixes: [{ file: "auth.ts", line: 3 }] }])
    expect(text).not.toContain(server.url)
  })
})

describe("latchkey doctor on an app with Redis", () => {
  it.skipIf(!hasProgram("redis-server"))(
    "names a server that evicts, and one that keeps nothing on its disk",
    async () => {
      const imported = `import { Redis } from "ioredis"\nimport { RedisAdapter } from "@latchkey/redis-adapter"`
      const evicting = { maxmemory: "16mb", "maxmemory-policy": "allkeys-lru", appendonly: "yes" }
      const cases = [
        [{ appendonly: "yes" }, []],
        [evicting, ["redis-eviction: CONFIG SET maxmemory-policy noeviction"]],
        [{}, ["redis-persistence: CONFIG SET appendonly yes"]],
      ] as const
      for (const [settings, expected] of cases) {
        const server = await startRedis({ settings })
        const diagnosis = await look(imported, "RedisAdapter(new Redis(process.env.DATABASE_URL))", server.url)
        await server.stop()
        expect(found(diagnosis)).toEqual(expected)
      }
    },
  )
})
