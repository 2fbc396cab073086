import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { hasProgram, startMariadb, startPostgres, startRedis } from "@latchkey/testkit/servers"
import { type Kysely, type RawBuilder, sql } from "kysely"
import { afterAll, describe, expect, it } from "vitest"
import { type Diagnosis, removeApps } from "../doctor/app.js"
import { type ExampleName, exampleNames, look } from "../doctor/example-app.js"
import { notePlanted, takeTime } from "../doctor/note-planted.js"

afterAll(removeApps)

interface Store {
  readonly imported: string
  readonly adapter: string
  readonly url: string
}

/** Runs doctor on an example with another store than its own. */
function lookWith(app: ExampleName, { imported, adapter, url }: Store): Promise<Diagnosis> {
  const edits = [
    [/^/, `${imported}\n`],
    ["const adapter = sqlite(DATA_FILE)", `const adapter = ${adapter}`],
  ] as const
  return look(app, { edits, variables: { DATABASE_URL: url } })
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

const account = sql.table("Account")
const [token, provider, index] = [
  sql.ref("access_token"),
  sql.ref("provider"),
  sql.ref("Account_provider_providerAccountId_key"),
]
const indexed = sql`${provider}, ${sql.ref("providerAccountId")}`

interface Mistake {
  readonly name: string
  readonly code: string
  readonly plant: readonly RawBuilder<unknown>[]
  readonly mend: readonly RawBuilder<unknown>[]
}

/** Mistakes of a schema, each with what mends it. */
function listMistakes(call: "postgres" | "mysql"): readonly Mistake[] {
  const isMysql = call === "mysql"
  const folding = isMysql
    ? sql`alter table ${account} modify ${provider} varchar(255) character set utf8mb4 collate utf8mb4_general_ci not null`
    : sql`alter table ${account} alter column ${provider} type varchar(255) collate "folding"`
  const exact = isMysql
    ? sql`alter table ${account} modify ${provider} varchar(255) character set utf8mb4 collate utf8mb4_nopad_bin not null`
    : sql`alter table ${account} alter column ${provider} type varchar(255) collate "C"`
  const createFolding = sql`create collation "folding" (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`
  const toToken = (type: RawBuilder<unknown>) =>
    isMysql
      ? sql`alter table ${account} modify ${token} ${type}`
      : sql`alter table ${account} alter column ${token} type ${type}`
  return [
    {
      name: "26 a unique index missing",
      code: "indexes",
      plant: [isMysql ? sql`drop index ${index} on ${account}` : sql`drop index ${index}`],
      mend: [sql`create unique index ${index} on ${account} (${indexed})`],
    },
    {
      name: "27 a token column of 255 characters",
      code: "columns",
      plant: [toToken(sql`varchar(255)`)],
      mend: [toToken(sql`text`)],
    },
    {
      name: "27 a collation that folds letters",
      code: "collation",
      plant: [...(isMysql ? [] : [createFolding]), folding],
      mend: [exact],
    },
    {
      name: "26 a column missing",
      code: "columns",
      plant: [sql`alter table ${sql.table("Authenticator")} drop column ${sql.ref("name")}`],
      mend: [],
    },
  ]
}

const cases = exampleNames.flatMap((app) => databases.map((database) => ({ app, ...database })))

describe.each(cases)(
  "latchkey doctor on the example of $app with $name",
  ({ app, name, program, start, open, call }) => {
    it.skipIf(!hasProgram(program))("names what the database lacks, and leaves no row behind", async (test) => {
      const server = await start()
      const adapter = open(server.url)
      const store = {
        imported: `import { ${call} } from "@latchkey/kysely-adapter/${call}"`,
        adapter: `${call}(process.env.DATABASE_URL)`,
        url: server.url,
      }
      const lookHere = async (mistake?: string) => {
        const [diagnosis, seconds] = await takeTime(() => lookWith(app, store))
        const place = `${app}, ${name}`
        if (mistake !== undefined) notePlanted(test, { mistake, place, found: diagnosis.findings[0]?.code, seconds })
        return diagnosis
      }
      try {
        expect(found(await lookHere("26 tables missing"))).toEqual(["tables: npx --no latchkey migrate"])
        await adapter.migrate()
        // as: only the names of the tables are read.
        const db = adapter.db as unknown as Kysely<never>
        const before = await countRows(db)
        expect(await lookHere("none")).toMatchObject({ code: 0, findings: [], unchecked: [] })
        expect(await countRows(db)).toBe(before)
        for (const { name: mistake, code, plant, mend } of listMistakes(call)) {
          for (const statement of plant) await statement.execute(db)
          const { findings } = await lookHere(mistake)
          expect([mistake, findings.map((each) => each.code)]).toEqual([mistake, [code]])
          for (const statement of mend) await statement.execute(db)
        }
        for (const { plant } of listMistakes(call).slice(0, 2))
          for (const statement of plant) await statement.execute(db)
        const codes = (await lookHere()).findings.map(({ code }) => code)
        expect(codes.toSorted()).toEqual(["columns", "columns", "indexes"])
      } finally {
        await adapter.close()
        await server.stop()
      }
      const { findings, text } = await lookHere()
      const fixes = [{ file: expect.stringContaining("auth.ts"), line: expect.any(Number) }]
      expect(findings).toMatchObject([{ code: "store-unreachable", fixes }])
      expect(text).not.toContain(server.url)
    })
  },
)

const evicting = { maxmemory: "16mb", "maxmemory-policy": "allkeys-lru", appendonly: "yes" }

const redisMistakes = [
  ["none", { appendonly: "yes" }, []],
  ["28 Redis that evicts", evicting, ["store-eviction: CONFIG SET maxmemory-policy noeviction"]],
  ["28 Redis that does not persist", {}, ["store-persistence: CONFIG SET appendonly yes"]],
] as const

describe.each(exampleNames)("latchkey doctor on the example of %s with Redis", (app) => {
  it.skipIf(!hasProgram("redis-server"))(
    "names a server that evicts, and one that keeps nothing on its disk",
    async (test) => {
      const imported = `import { Redis } from "ioredis"\nimport { RedisAdapter } from "@latchkey/redis-adapter"`
      const adapter = "RedisAdapter(new Redis(process.env.DATABASE_URL))"
      for (const [mistake, settings, expected] of redisMistakes) {
        const server = await startRedis({ settings })
        const [diagnosis, seconds] = await takeTime(() => lookWith(app, { imported, adapter, url: server.url }))
        await server.stop()
        notePlanted(test, { mistake, place: `${app}, Redis`, found: diagnosis.findings[0]?.code, seconds })
        expect(found(diagnosis)).toEqual(expected)
      }
    },
  )
})
