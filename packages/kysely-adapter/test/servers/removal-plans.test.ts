import { DatabaseSync } from "node:sqlite"
import { type Database, KyselyAdapter } from "@latchkey/kysely-adapter"
import { migrate } from "@latchkey/kysely-adapter/migrations"
import { nodeSqliteDialect } from "@latchkey/kysely-adapter/sqlite"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { type CompiledQuery, type Dialect, Kysely, MysqlDialect, PostgresDialect, sql } from "kysely"
import { createPool, type Pool as MysqlPool } from "mysql2"
import { Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

// `removeExpired` walks tables of any size, so each of its statements may read the rows of one batch only.

const rows = 60_000

/** How a database writes numbered rows, a text for each in another order, and an instant. */
interface Seeding {
  readonly numbers: string
  readonly number: string
  readonly digest: string
  readonly analyze: string
  toInstant(iso: string): string
  quote(name: string): string
}

/** Fills the tables whose rows expire. Every other row has expired. */
function seed({ numbers, number, digest, analyze, toInstant, quote: q }: Seeding): readonly string[] {
  const [past, future] = ["2020-01-01T00:00:00.000Z", "2036-02-29T23:59:59.987Z"].map(toInstant)
  const rest = `case when ${number} % 2 = 1 then ${past} else ${future} end from ${numbers}`
  return [
    `insert into ${q("User")} (id, email) values ('ada', 'ada@example.com')`,
    `insert into ${q("Session")} (${q("sessionToken")}, ${q("userId")}, expires) select ${digest}, 'ada', ${rest}`,
    `insert into ${q("VerificationToken")} (identifier, token, expires) select ${digest}, ${digest}, ${rest}`,
    `insert into ${q("Spent")} (id, expires) select ${digest}, ${rest}`,
    analyze,
  ]
}

/** Fills a new database, and reads the plan of each statement of a removal that meets all of its rows. */
async function planRemoval(
  dialect: Dialect,
  seeding: Seeding,
  explain: (query: CompiledQuery) => Promise<string>,
): Promise<readonly (readonly [text: string, plan: string])[]> {
  const queries = new Map<string, CompiledQuery>()
  const log = ({ query }: { readonly query: CompiledQuery }) => {
    // Batches differ in size. The first of a kind has nearly the whole table before it.
    const shape = query.sql.replace(/offset \d+/, "")
    if (!queries.has(shape)) queries.set(shape, query)
  }
  const db = new Kysely<Database>({ dialect, log })
  await migrate(db)
  for (const text of seed(seeding)) await sql.raw(text).execute(db)
  const adapter = KyselyAdapter(db)
  queries.clear()
  // Nothing had expired then, so the rows are still there when the plans are made.
  expect(await adapter.removeExpired(new Date("2010-01-01T00:00:00.000Z"))).toBe(0)
  const filled = /from ["`](?:Session|VerificationToken|Spent)["`]/
  const used = [...queries.values()].filter(({ sql: text }) => filled.test(text))
  // Of each table the first search and the following ones; the first deletion, the following ones and the last.
  expect(used).toHaveLength(3 * 5)
  const plans: (readonly [string, string])[] = []
  for (const query of used) plans.push([query.sql, await explain(query)])
  expect(await adapter.removeExpired()).toBe((3 * rows) / 2)
  return plans
}

describe("the statements of removeExpired in SQLite", () => {
  it("read the rows of one batch", async () => {
    const database = new DatabaseSync(":memory:")
    const seeding: Seeding = {
      numbers: `(with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows}) select i from n)`,
      number: "i",
      digest: "lower(hex(randomblob(16)))",
      analyze: "analyze",
      toInstant: (iso) => `'${iso}'`,
      quote: (name) => `"${name}"`,
    }
    const plans = await planRemoval(nodeSqliteDialect(database), seeding, async ({ sql: text, parameters }) => {
      const lines = database.prepare(`explain query plan ${text}`).all(...(parameters as string[])) // as: keys and dates
      return lines.map(({ detail }) => String(detail)).join("\n")
    })
    for (const [text, plan] of plans) {
      // The first search has no lower bound: it reads from the first row, in order, up to its limit.
      const isFirst = text.startsWith("select") && !text.includes(">=")
      expect(plan, text).toMatch(isFirst ? /^SCAN \w+$/ : /^SEARCH \w+ USING INTEGER PRIMARY KEY \(rowid[<>]/)
    }
    database.close()
  })
})

describe.skipIf(!hasProgram("postgres"))("the statements of removeExpired in PostgreSQL", () => {
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

  it("read the rows of one batch, through the index of the key", async () => {
    const seeding: Seeding = {
      numbers: `generate_series(1, ${rows}) as i`,
      number: "i",
      digest: "md5(i::text)",
      analyze: "analyze",
      toInstant: (iso) => `timestamptz '${iso}'`,
      quote: (name) => `"${name}"`,
    }
    const plans = await planRemoval(new PostgresDialect({ pool }), seeding, async ({ sql: text, parameters }) => {
      const { rows: lines } = await pool.query(`explain ${text}`, [...parameters])
      return lines.map((line: Readonly<Record<string, string>>) => line["QUERY PLAN"]).join("\n")
    })
    for (const [text, plan] of plans) {
      expect(plan, text).toMatch(/Index(?: Only)? Scan/)
      expect(plan, text).not.toMatch(/Seq Scan|Sort/)
      // A scan of an index has a bound, or ends with the limit above it.
      expect(plan, text).toMatch(/Index Cond|^Limit/)
    }
  }, 60_000)
})

describe.skipIf(!hasProgram("mariadbd"))("the statements of removeExpired in MariaDB", () => {
  let server: DatabaseServer
  let pool: MysqlPool
  beforeAll(async () => {
    server = await startMariadb()
    pool = createPool(server.url)
  }, 60_000)
  afterAll(async () => {
    await pool.promise().end()
    await server.stop()
  })

  it("read the rows of one batch, through the index of the key", async () => {
    const seeding: Seeding = {
      numbers: `seq_1_to_${rows}`,
      number: "seq",
      digest: "md5(seq)",
      analyze: "analyze table `Session`, `VerificationToken`, `Spent`",
      toInstant: (iso) => `timestamp '${iso.slice(0, 23).replace("T", " ")}'`,
      quote: (name) => `\`${name}\``,
    }
    const plans = await planRemoval(new MysqlDialect({ pool }), seeding, async ({ sql: text, parameters }) => {
      const [lines] = await pool.promise().query(`explain ${text}`, [...parameters])
      return JSON.stringify(lines)
    })
    for (const [text, plan] of plans) {
      const [line, ...others] = JSON.parse(plan) as readonly Readonly<Record<string, unknown>>[] // as: lines of `explain`
      expect(others, text).toEqual([])
      // The first search has no lower bound: it reads the index from its beginning, up to its limit.
      const isFirst = text.startsWith("select") && !text.includes(">=")
      expect(line, text).toMatchObject({ type: isFirst ? "index" : "range", key: expect.any(String) })
      // The other searches are estimated without their limit.
      if (isFirst || text.startsWith("delete")) expect(Number(line?.["rows"]), text).toBeLessThan(5_000)
      expect(line?.["Extra"], text).not.toContain("filesort")
    }
  }, 60_000)
})
