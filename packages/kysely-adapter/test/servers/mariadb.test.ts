import { KyselyAdapter } from "@latchkey/kysely-adapter"
import { schemaSql } from "@latchkey/kysely-adapter/migrations"
import { type ConnectedAdapter, mysql } from "@latchkey/kysely-adapter/mysql"
import { type DatabaseServer, hasProgram, startMariadb } from "@latchkey/testkit/servers"
import { Kysely, MysqlDialect, sql } from "kysely"
import { createPool } from "mysql2"
import { createConnection } from "mysql2/promise"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { testGivenServer, testLayouts } from "../layouts.suite.js"
import { expires, sampleAccount, sampleAuthenticator, sampleUser, settle } from "../samples.js"
import { testServer } from "./server.suite.js"

// Neither the process nor the server is in UTC; the server truncates values that do not fit, and does not escape with
// backslashes.
process.env["TZ"] = "America/St_Johns"
const settings = {
  "default-time-zone": "+05:30",
  "sql-mode": "NO_BACKSLASH_ESCAPES",
  "character-set-server": "latin1",
}

testGivenServer("LATCHKEY_MYSQL_URL", mysql)

describe.skipIf(!hasProgram("mariadbd"))("MariaDB", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariadb(settings)
  }, 60_000)
  afterAll(async () => await server.stop())

  testLayouts((options) => mysql(server.url, options))

  testServer({
    server: () => server,
    open: (options) => mysql(server.url.replace("mysql:", "mariadb:"), options),
    openOne: (options) => mysql({ uri: server.url, connectionLimit: 1 }, options),
    openPlain: () => new Kysely({ dialect: new MysqlDialect({ pool: createPool(server.url) }) }),
    async holdUser(db, id) {
      const held = await db.startTransaction().execute()
      await held.updateTable("User").set({ name: "held" }).where("id", "=", id).execute()
      return async () => {
        await held.rollback().execute()
      }
    },
  })

  describe("tables of another library", () => {
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      adapter = mysql(server.url, { prefix: "other_" })
      const lenient = sql.raw("character set utf8mb4 collate utf8mb4_general_ci")
      await sql`create table other_User (id varchar(191) ${lenient} primary key, name text, email varchar(191) ${lenient},
        emailVerified timestamp(3) null, image text)`.execute(adapter.db)
      await sql`create table other_Session (sessionToken varchar(191) ${lenient}, userId varchar(191) ${lenient},
        expires datetime(3))`.execute(adapter.db)
      await sql`create table other_Account (userId varchar(191) ${lenient}, type text, provider varchar(191) ${lenient},
        providerAccountId varchar(191) ${lenient}, refresh_token text, access_token text, expires_at int, token_type text,
        scope text, id_token text, session_state text)`.execute(adapter.db)
      await adapter.migrate()
    })
    afterAll(async () => await adapter.close())

    it("get the missing tables, whose rows are deleted with their user", async () => {
      const user = await adapter.createUser(sampleUser())
      await adapter.createAuthenticator(sampleAuthenticator(user.id, "AA=="))
      await adapter.markEmailVerified?.({ userId: user.id, email: user.email, provider: "harbour" })
      await adapter.deleteUser(user.id)
      expect(await adapter.getAuthenticator("AA==")).toBeNull()
      expect(await adapter.isEmailVerified?.(user)).toBe(false)
    })

    it("get the missing unique indexes", async () => {
      const user = await adapter.createUser(sampleUser())
      await expect(settle(() => adapter.createUser(sampleUser({ email: user.email })))).rejects.toThrow("Duplicate")
      const account = sampleAccount(user.id)
      await adapter.linkAccount(account)
      await expect(settle(() => adapter.linkAccount(account))).rejects.toThrow("Duplicate")
    })

    it("finds nothing by a key that only a lenient collation treats as equal", async () => {
      const user = await adapter.createUser(sampleUser({ id: "secret", email: "ada@example.com" }))
      await adapter.createSession({ sessionToken: "token", userId: user.id, expires })
      for (const email of ["ADA@example.com", "áda@example.com", "ada@example.com "])
        expect(await adapter.getUserByEmail(email)).toBeNull()
      for (const token of ["TOKEN", "tóken", "token "]) {
        expect(await adapter.getSessionAndUser(token)).toBeNull()
        expect(await adapter.deleteSession(token)).toBeNull()
      }
      expect(await adapter.getUser("Secret")).toBeNull()
      expect(await adapter.getSessionAndUser("token")).toMatchObject({ user: { email: "ada@example.com" } })
    })

    it("stores instants exactly in columns that are read in the session's time zone", async () => {
      const emailVerified = new Date("2025-10-26T01:30:00.999Z")
      const { id } = await adapter.createUser(sampleUser({ emailVerified }))
      await adapter.createSession({ sessionToken: id, userId: id, expires })
      expect(await adapter.getSessionAndUser(id)).toMatchObject({ session: { expires }, user: { emailVerified } })
    })
  })

  it("keeps ids exact that the pool of a host rounds", async () => {
    const options = { prefix: "large_", ids: "integer" } as const
    const own = mysql(server.url, options)
    await own.migrate()
    await own.close()
    const db = new Kysely({ dialect: new MysqlDialect({ pool: createPool(server.url) }) })
    await sql`insert into large_User (id, email)
      values (9007199254740992, 'even@example.com'), (9007199254740993, 'odd@example.com')`.execute(db)
    const adapter = KyselyAdapter(db, options)
    const account = sampleAccount("9007199254740993")
    expect(await adapter.linkAccount(account)).toMatchObject({ userId: account.userId })
    expect(await adapter.getUserByAccount(account)).toMatchObject({ id: account.userId, email: "odd@example.com" })
    expect((await adapter.createUser(sampleUser())).id).toBe("9007199254740994")
    await db.destroy()
  })

  it("rejects a value that does not fit, which the server would truncate", async () => {
    const adapter = mysql(server.url)
    const { id } = await adapter.createUser(sampleUser())
    const sessionToken = "x".repeat(256)
    const created = settle(() => adapter.createSession({ sessionToken, userId: id, expires }))
    await expect(created).rejects.toThrow("sessionToken must be a string that the column can hold")
    expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
    const email = `${"👩🏽‍🚀".repeat(60)}@example.com`
    await expect(settle(() => adapter.createUser(sampleUser({ email })))).resolves.toMatchObject({ email })
    await adapter.close()
  })

  it("runs the printed SQL, and has nothing left to migrate", async () => {
    const adapter = mysql(server.url, { prefix: "printed_" })
    const connection = await createConnection({ uri: server.url, multipleStatements: true })
    await connection.query(schemaSql("mysql", { prefix: "printed_" }))
    await connection.end()
    expect(await adapter.migrate()).toEqual([])
    await adapter.close()
  })

  it("finds a session and its user through their indexes", async () => {
    const adapter = mysql(server.url)
    const { id } = await adapter.createUser(sampleUser())
    await adapter.createSession({ sessionToken: id, userId: id, expires })
    const { rows } = await sql<{ key: string }>`explain select * from Session o join User u on u.id = o.userId
      where o.sessionToken = ${id} and cast(convert(o.sessionToken using utf8mb4) as binary) = ${id}`.execute(
      adapter.db,
    )
    expect(rows.map(({ key }) => key)).toEqual(["Session_sessionToken_key", "PRIMARY"])
    await adapter.close()
  })
})
