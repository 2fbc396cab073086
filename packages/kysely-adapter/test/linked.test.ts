import { DatabaseSync } from "node:sqlite"
import { type Database, KyselyAdapter } from "@latchkey/kysely-adapter"
import { migrate } from "@latchkey/kysely-adapter/migrations"
import { nodeSqliteDialect, type SqliteAdapter, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { testAdapter } from "@latchkey/testkit/adapter"
import { Kysely } from "kysely"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { expires, sampleAccount, sampleUser } from "./samples.js"

const linked = { layout: "linked" } as const

const memory = sqlite(":memory:", linked)
afterAll(memory.close)
testAdapter({ name: "sqlite in the linked layout", create: () => ({ adapter: memory }) })

const db = new Kysely<Database>({ dialect: nodeSqliteDialect(new DatabaseSync(":memory:")) })
beforeAll(async () => await migrate(db, linked))
afterAll(async () => await db.destroy())
const onKysely = KyselyAdapter(db, linked)
testAdapter({ name: "KyselyAdapter in the linked layout", create: () => ({ adapter: onKysely }) })

describe("the linked layout", () => {
  let adapter: SqliteAdapter
  const all = (text: string) =>
    adapter.database
      .prepare(text)
      .all()
      .map((row) => ({ ...row }))

  beforeEach(() => {
    adapter = sqlite(":memory:", linked)
    adapter.createUser(sampleUser({ id: "ada" }))
  })
  afterEach(() => adapter.close())

  it("has the collections and fields of the reference schema, with nullable fields", () => {
    const reference = {
      accounts:
        "user type provider providerAccountId refresh_token access_token expires_at token_type scope id_token session_state",
      sessions: "sessionToken user expires",
      users: "name email emailVerified image",
      users_accounts: "account user",
      users_sessions: "session user",
      verification_tokens: "identifier token expires",
    }
    for (const [name, fields] of Object.entries(reference)) {
      const columns = all(
        `select name, "notnull" as isRequired from pragma_table_info('auth_${name}') where name <> 'id'`,
      )
      expect(columns).toEqual(fields.split(" ").map((field) => ({ name: field, isRequired: 0 })))
    }
  })

  it("links accounts and sessions to their user until they are deleted", () => {
    const account = sampleAccount("ada", { providerAccountId: "1" })
    adapter.linkAccount(account)
    adapter.createSession({ sessionToken: "t", userId: "ada", expires })
    const joined = (kind: string) =>
      all(
        `select k.user as named, l.user as joined from auth_users_${kind}s l join auth_${kind}s k on k.id = l.${kind}`,
      )
    for (const kind of ["account", "session"]) expect(joined(kind)).toEqual([{ named: "ada", joined: "ada" }])
    adapter.unlinkAccount(account)
    adapter.deleteSession("t")
    for (const kind of ["account", "session"]) expect(all(`select * from auth_users_${kind}s`)).toEqual([])
  })

  it("inserts neither the session nor its link when one of them is rejected", () => {
    adapter.database.exec(
      "create trigger no_links before insert on auth_users_sessions begin select raise(abort, 'full'); end",
    )
    expect(() => adapter.createSession({ sessionToken: "t", userId: "ada", expires })).toThrow("full")
    expect(all("select * from auth_sessions")).toEqual([])
    adapter.database.exec("drop trigger no_links")
    expect(adapter.createSession({ sessionToken: "t", userId: "ada", expires })).toMatchObject({ userId: "ada" })
  })

  it("keeps the other changes in the host's transaction when a session is rejected", () => {
    adapter.createSession({ sessionToken: "t", userId: "ada", expires })
    adapter.database.exec("begin")
    adapter.updateUser({ id: "ada", name: "Ada" })
    expect(() => adapter.createSession({ sessionToken: "t", userId: "ada", expires })).toThrow("UNIQUE")
    adapter.database.exec("commit")
    expect(adapter.getUser("ada")).toMatchObject({ name: "Ada" })
  })

  it("finds the owner through the link table, not through the row", () => {
    adapter.createUser(sampleUser({ id: "ben" }))
    adapter.createSession({ sessionToken: "t", userId: "ada", expires })
    adapter.database.exec("update auth_sessions set user = null")
    expect(adapter.getSessionAndUser("t")).toMatchObject({
      session: { sessionToken: "t", expires },
      user: { id: "ada" },
    })
    adapter.database.exec("delete from auth_users_sessions")
    expect(adapter.getSessionAndUser("t")).toBeNull()
  })

  it("ADP-11: treats a session without an expiry as expired", () => {
    adapter.createSession({ sessionToken: "t", userId: "ada", expires })
    adapter.database.exec("update auth_sessions set expires = null")
    expect(adapter.getSessionAndUser("t")).toMatchObject({ session: { expires: new Date(0) } })
  })

  it("coexists with the default tables in one database", () => {
    const other = sqlite(adapter.database)
    expect(other.getUser("ada")).toBeNull()
    other.createUser(sampleUser({ id: "ada", name: "Another Ada" }))
    expect(adapter.getUser("ada")).toMatchObject({ name: null })
  })

  it("uses the host's names for everything", () => {
    const own = sqlite(":memory:", {
      layout: "linked",
      prefix: "xy_",
      user: { name: "people", columns: { email: "mail" } },
      session: { columns: { userId: "person" }, rowId: "row" },
      userSession: { name: "visits", owned: "visit", owner: "person" },
      userAccount: { owner: "person" },
    })
    own.createUser(sampleUser({ id: "ada", email: "ada@example.com" }))
    own.createSession({ sessionToken: "t", userId: "ada", expires })
    own.linkAccount(sampleAccount("ada", { providerAccountId: "1" }))
    expect(own.getSessionAndUser("t")).toMatchObject({ session: { userId: "ada" }, user: { email: "ada@example.com" } })
    expect(own.getUserByAccount({ provider: "harbour", providerAccountId: "1" })).toMatchObject({ id: "ada" })
    const row = own.database
      .prepare("select p.mail from visits v join xy_sessions s on s.row = v.visit join people p on p.id = v.person")
      .get()
    expect(row).toMatchObject({ mail: "ada@example.com" })
    own.close()
  })
})
