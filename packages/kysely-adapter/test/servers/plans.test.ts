import { DatabaseSync } from "node:sqlite"
import { type Database, KyselyAdapter } from "@latchkey/kysely-adapter"
import { migrate } from "@latchkey/kysely-adapter/migrations"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { type CompiledQuery, Kysely, PostgresDialect, sql } from "kysely"
import { Client, Pool } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { expires, sampleAccount, sampleAuthenticator, sampleUser } from "../samples.js"

type AnyAdapter = Pick<ReturnType<typeof KyselyAdapter>, keyof ReturnType<typeof KyselyAdapter>>

/** Every operation that a request may wait for: sessions, sign-ins, accounts, mail tokens and passkeys. */
async function useEveryOperation(adapter: AnyAdapter): Promise<void> {
  const user = await adapter.createUser(sampleUser())
  const userId = user.id
  const account = sampleAccount(userId)
  await adapter.getUser(userId)
  await adapter.getUserByEmail(user.email)
  await adapter.updateUser({ id: userId, name: "Ada" })
  await adapter.linkAccount(account)
  await adapter.getUserByAccount(account)
  await adapter.getAccount?.(account.providerAccountId, account.provider)
  await adapter.listAccountsByUserId?.(userId)
  await adapter.createSession({ sessionToken: userId, userId, expires })
  await adapter.getSessionAndUser(userId)
  await adapter.updateSession({ sessionToken: userId, expires })
  await adapter.deleteSession(userId)
  await adapter.createVerificationToken?.({ identifier: user.email, token: userId, expires })
  await adapter.useVerificationToken?.({ identifier: user.email, token: userId })
  await adapter.createAuthenticator?.(sampleAuthenticator(userId, userId))
  await adapter.getAuthenticator?.(userId)
  await adapter.listAuthenticatorsByUserId?.(userId)
  await adapter.updateAuthenticatorCounter?.(userId, 7)
  await adapter.deleteAuthenticator?.(userId)
  await adapter.consumeOnce?.(userId, expires)
  await adapter.markEmailVerified?.({ userId, email: user.email, provider: "email" })
  await adapter.isEmailVerified?.(user)
  await adapter.unlinkAccount?.(account)
  await adapter.deleteUser?.(userId)
}

describe("the plans of SQLite", () => {
  it("find every row through an index", async () => {
    const database = new DatabaseSync(":memory:")
    const statements = new Set<string>()
    const prepare = database.prepare.bind(database)
    const adapter = sqlite(database)
    database.prepare = (text) => {
      statements.add(text)
      return prepare(text)
    }
    await useEveryOperation(adapter)
    expect(statements.size).toBeGreaterThan(20)
    for (const text of statements) {
      const plan = prepare(`explain query plan ${text}`).all()
      // "SCAN CONSTANT ROW" and the like read no table.
      const scans = plan.filter(({ detail }) => /^SCAN (?!CONSTANT)/.test(String(detail)))
      expect({ text, scans }).toEqual({ text, scans: [] })
    }
    database.close()
  })
})

/** The columns that each table is partitioned by: those that its statements look rows up by. */
const partitionKeys = {
  Session: ["sessionToken"],
  Account: ["provider", "providerAccountId"],
  VerificationToken: ["identifier", "token"],
  Spent: ["id"],
  Authenticator: ["credentialID"],
}

const tablesOfUsers: readonly string[] = ["Session", "Account", "Authenticator"]

/** Replaces an empty table with one of four partitions. */
async function partition(db: Kysely<Database>, table: string, columns: readonly string[]): Promise<void> {
  const run = async (statement: string) => await sql.raw(statement).execute(db)
  const key = columns.map((column) => `"${column}"`).join()
  await run(`alter table "${table}" rename to "${table}_old"`)
  const shape = `like "${table}_old" including defaults, unique (${key})`
  await run(`create table "${table}" (${shape}) partition by hash (${key})`)
  for (const n of [0, 1, 2, 3]) {
    await run(`create table "${table}_p${n}" partition of "${table}" for values with (modulus 4, remainder ${n})`)
  }
  if (tablesOfUsers.includes(table)) await run(`create index on "${table}" ("userId")`)
  if (table === "Session") await referToNewSessions(run)
  await run(`drop table "${table}_old"`)
}

/** The details of sessions refer to the table that was renamed. */
async function referToNewSessions(run: (statement: string) => Promise<unknown>): Promise<void> {
  const name = `"SessionDetail_sessionToken_fkey"`
  const reference = `foreign key ("sessionToken") references "Session" ("sessionToken") on delete cascade`
  await run(`alter table "SessionDetail" drop constraint ${name}`)
  await run(`alter table "SessionDetail" add constraint ${name} ${reference}`)
}

describe.skipIf(!hasProgram("postgres"))("the plans of PostgreSQL", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(async () => await server.stop())

  /** A database of its own, and the plan of each statement that the operations use. */
  async function planOperations(name: string, prepare: (db: Kysely<Database>) => Promise<void>) {
    const admin = new Client(server.url)
    await admin.connect()
    await admin.query(`create database ${name}`)
    await admin.end()
    const pool = new Pool({ connectionString: server.url.replace(/postgres$/, name), max: 1 })
    pool.on("error", () => {}) // The server may stop before the pool has closed its connections.
    const queries = new Map<string, CompiledQuery>()
    const log = ({ query }: { readonly query: CompiledQuery }) => void queries.set(query.sql, query)
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }), log })
    await migrate(db)
    await prepare(db)
    queries.clear()
    await useEveryOperation(KyselyAdapter(db))
    const used = [...queries.values()].filter(({ sql: text }) => /^(?:select|insert|update|delete)/.test(text))
    // With it, a table without rows is read as a whole although it has an index.
    await sql`set enable_seqscan = off`.execute(db)
    const plans: { readonly text: string; readonly lines: readonly string[] }[] = []
    for (const query of used) {
      const { rows } = await db.executeQuery<Record<string, string>>({ ...query, sql: `explain ${query.sql}` })
      plans.push({ text: query.sql, lines: rows.map((row) => row["QUERY PLAN"] ?? "") })
    }
    await db.destroy()
    return plans
  }

  it("find every row through an index", async () => {
    const plans = await planOperations("plain", async () => {})
    expect(plans.length).toBeGreaterThan(20)
    for (const { text, lines } of plans) {
      expect({ text, scans: lines.filter((line) => line.includes("Seq Scan")) }).toEqual({ text, scans: [] })
    }
  })

  it("read one partition, except to list the records of a user", async () => {
    // docs/scaling.md shows these statements.
    const plans = await planOperations("partitioned", async (db) => {
      for (const [table, columns] of Object.entries(partitionKeys)) await partition(db, table, columns)
    })
    const partitionsOf = (lines: readonly string[]) => new Set(lines.join("\n").match(/[A-Za-z]+_p\d/g))
    const wide = plans.filter(({ lines }) => partitionsOf(lines).size > 1).map(({ text }) => text)
    expect(wide.toSorted()).toEqual([
      expect.stringMatching(/from "Authenticator" where "userId" = \$1/),
      expect.stringMatching(/from "Account" where "userId" = \$1/),
    ])
  })
})
