import { KyselyAdapter } from "@latchkey/kysely-adapter"
import { schemaSql } from "@latchkey/kysely-adapter/migrations"
import { type ConnectedAdapter, postgres } from "@latchkey/kysely-adapter/postgres"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { Kysely, PostgresDialect, sql } from "kysely"
import { Pool, types } from "pg"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { testGivenServer, testLayouts } from "../layouts.suite.js"
import { expires, sampleAccount, sampleUser } from "../samples.js"
import { testServer } from "./server.suite.js"

// Neither the process nor the server is in UTC, and the server writes dates in a format that it does not read.
process.env["TZ"] = "America/St_Johns"
const settings = { timezone: "Asia/Kolkata", datestyle: "German" }

testGivenServer("LATCHKEY_POSTGRES_URL", postgres)

describe.skipIf(!hasProgram("postgres"))("PostgreSQL", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startPostgres(settings)
  }, 60_000)
  afterAll(async () => await server.stop())

  testLayouts((options) => postgres(server.url, options))

  testServer({
    server: () => server,
    open: (options) => postgres(server.url, options),
    openOne: (options) => postgres({ connectionString: server.url, max: 1 }, options),
    openPlain: () => new Kysely({ dialect: new PostgresDialect({ pool: new Pool({ connectionString: server.url }) }) }),
    async holdUser(db, id) {
      const held = await db.startTransaction().execute()
      await held.updateTable("User").set({ name: "held" }).where("id", "=", id).execute()
      return async () => {
        await held.rollback().execute()
      }
    },
  })

  it("keeps ids exact that the pool of a host reads as numbers", async () => {
    const options = { prefix: "large_", ids: "integer" } as const
    const own = postgres(server.url, options)
    await own.migrate()
    await own.close()
    const toNumbers = {
      // as: it has an overload for each format.
      getTypeParser: ((oid, format) =>
        oid === 20 ? Number : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    }
    const pool = new Pool({ connectionString: server.url, types: toNumbers })
    const db = new Kysely({ dialect: new PostgresDialect({ pool }) })
    await sql`insert into "large_User" (id, email)
      values (9007199254740992, 'even@example.com'), (9007199254740993, 'odd@example.com')`.execute(db)
    const adapter = KyselyAdapter(db, options)
    const account = sampleAccount("9007199254740993")
    expect(await adapter.linkAccount(account)).toMatchObject({ userId: account.userId })
    expect(await adapter.getUserByAccount(account)).toMatchObject({ id: account.userId, email: "odd@example.com" })
    await db.destroy()
  })

  describe("tables of another library", () => {
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      adapter = postgres(server.url, { prefix: "other_" })
      await sql`create collation lenient (provider = icu, locale = 'und-u-ks-level1', deterministic = false)`.execute(
        adapter.db,
      )
      await sql`create table "other_User" (id text collate lenient primary key, name text, email text collate lenient,
        "emailVerified" timestamp, image text)`.execute(adapter.db)
      await sql`create table "other_Session" ("sessionToken" text collate lenient, "userId" text, expires timestamp)`.execute(
        adapter.db,
      )
      await adapter.migrate()
    })
    afterAll(async () => await adapter.close())

    it("finds nothing by a key that only a lenient collation treats as equal", async () => {
      const user = await adapter.createUser(sampleUser({ id: "secret", email: "ada@example.com" }))
      await adapter.createSession({ sessionToken: "token", userId: user.id, expires })
      for (const email of ["ADA@example.com", "áda@example.com"]) expect(await adapter.getUserByEmail(email)).toBeNull()
      for (const token of ["TOKEN", "tóken"]) {
        expect(await adapter.getSessionAndUser(token)).toBeNull()
        expect(await adapter.deleteSession(token)).toBeNull()
      }
      expect(await adapter.getUser("Secret")).toBeNull()
      expect(await adapter.getSessionAndUser("token")).toMatchObject({ user: { email: "ada@example.com" } })
    })

    it("stores instants exactly in columns without a time zone", async () => {
      const emailVerified = new Date("2025-10-26T01:30:00.999Z")
      const { id } = await adapter.createUser(sampleUser({ emailVerified }))
      await adapter.createSession({ sessionToken: id, userId: id, expires })
      expect(await adapter.getSessionAndUser(id)).toMatchObject({ session: { expires }, user: { emailVerified } })
      const { rows } =
        await sql`select expires::text as text from "other_Session" where "sessionToken" = ${id}`.execute(adapter.db)
      expect(rows).toEqual([{ text: "29.02.2040 23:59:59.987" }])
    })
  })

  it("runs the printed SQL, and has nothing left to migrate", async () => {
    const adapter = postgres(server.url, { prefix: "printed_" })
    const script = schemaSql("postgres", { prefix: "printed_" })
    await sql.raw(script).execute(adapter.db)
    expect(await adapter.migrate()).toEqual([])
    await adapter.close()
  })

  it("leaves the host its own tables of the features' names, and names the option to a method that needs one", async () => {
    const plain = postgres(server.url)
    await sql`create schema host_tables`.execute(plain.db)
    await plain.close()
    const adapter = postgres({ connectionString: server.url, options: "-c search_path=host_tables" })
    for (const name of ["Temporary", "SessionDetail", "Password", "Factor", "AccountChange"]) {
      await sql`create table ${sql.table(name)} (number integer, expires timestamptz)`.execute(adapter.db)
      await sql`insert into ${sql.table(name)} values (1, '2000-01-01')`.execute(adapter.db)
    }
    expect(await adapter.migrate()).toHaveLength(5)
    expect(await adapter.migrate()).toEqual([])
    const { id } = await adapter.createUser(sampleUser())
    await adapter.createSession({ sessionToken: id, userId: id, expires })
    expect(await adapter.removeExpired()).toBe(0)
    await expect(adapter.getPassword?.(id)).rejects.toThrow(
      "Choose another name with the option password: { name: ... }",
    )
    await expect(adapter.endSessions?.({ userId: id })).rejects.toThrow("option sessionDetail: { name: ... }")
    expect(await adapter.deleteSession(id)).toMatchObject({ userId: id })
    expect(await adapter.migrate("none")).toHaveLength(5)
    const { rows } = await sql`select number from "Temporary"`.execute(adapter.db)
    expect(rows).toEqual([{ number: 1 }])
    await adapter.close()
  })

  it("keeps two schemas of one database apart", async () => {
    const plain = postgres(server.url)
    await sql`create schema tenant_a; create schema tenant_b`.execute(plain.db)
    await plain.close()
    for (const name of ["tenant_a", "tenant_b"]) {
      const tenant = postgres({ connectionString: server.url, options: `-c search_path=${name}` })
      expect(await tenant.migrate()).toHaveLength(5)
      expect(await tenant.migrate()).toEqual([])
      await tenant.createUser(sampleUser({ id: "same", email: "same@example.com" }))
      await tenant.close()
    }
  })

  it("finds a session and its user through their indexes", async () => {
    const adapter = postgres(server.url)
    // The planner takes any index of a table that it believes to be empty.
    for (const statement of [
      `insert into "User" (id, name, email) select 'plan-' || n, null, 'plan-' || n from generate_series(1, 1000) n`,
      `insert into "Session" ("sessionToken", "userId", expires) select id, id, now() from "User" where id like 'plan-%'`,
      `analyze "User", "Session"`,
    ]) {
      await sql.raw(statement).execute(adapter.db)
    }
    const { rows } = await sql<{
      "QUERY PLAN": string
    }>`explain select * from "Session" o join "User" u on u.id = o."userId"
      where o."sessionToken" = 't' and o."sessionToken"::text collate "C" = 't'`.execute(adapter.db)
    const plan = rows.map((row) => row["QUERY PLAN"]).join()
    expect(plan).toContain("Session_sessionToken_key")
    expect(plan).toContain("User_id_pkey")
    await adapter.close()
  })
})
