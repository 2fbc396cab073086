import { DatabaseSync } from "node:sqlite"
import { type Database, KyselyAdapter } from "@latchkey/kysely-adapter"
import { migrate, migrations, UnknownSchema } from "@latchkey/kysely-adapter/migrations"
import { nodeSqliteDialect, sqlite } from "@latchkey/kysely-adapter/sqlite"
import { featureMethods } from "@latchkey/testkit/adapter"
import { Kysely } from "kysely"
import { Migrator } from "kysely/migration"
import { beforeEach, describe, expect, it } from "vitest"

describe("migrations", () => {
  let database: DatabaseSync
  let db: Kysely<Database>
  const tables = () =>
    database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'latchkey%' order by 1")
      .all()
      .map((row) => row["name"])
  const schema = () =>
    database
      .prepare("select sql from sqlite_schema where sql is not null order by name")
      .all()
      .map((row) => row["sql"])
  const featureTables = ["AccountChange", "Factor", "Password", "SessionDetail", "Temporary"]
  const methodsOf: Readonly<Record<string, readonly string[]>> = {
    Temporary: ["keepTemporary", "takeTemporary", "takeLease", "dropLease"],
    SessionDetail: ["createSessionDetail", "seeSession", "listSessionsByUserId", "endSessions"],
    Password: ["getPassword", "setPassword", "deletePassword"],
    Factor: ["listFactors", "createFactor", "changeFactor", "deleteFactor"],
    AccountChange: ["createAccountChange", "getAccountChange", "listAccountChanges", "deleteAccountChange"],
  }
  const contractTables = ["Account", "Authenticator", "ProvenEmail", "Session", "Spent", "User", "VerificationToken"]
  const allTables = [...contractTables, ...featureTables].toSorted()
  const changes = ["0001_create_tables", "0002_passkeys", "0003_proven_emails", "0004_features", "0005_account_changes"]
  const all = (direction: "up" | "down") => changes.map((name) => ({ name, direction }))

  beforeEach(() => {
    database = new DatabaseSync(":memory:")
    db = new Kysely({ dialect: nodeSqliteDialect(database) })
  })

  it("reject a file that a newer version has migrated", async () => {
    sqlite(database)
    database.exec("insert into latchkey_migration values ('9999_future', '2050-01-01T00:00:00.000Z')")
    expect(() => sqlite(database)).toThrow("newer version, with the migration 9999_future")
    await expect(migrate(db)).rejects.toThrow("9999_future")
  })

  it("reject a file that was migrated under other names, and change nothing", async () => {
    sqlite(database, { user: { name: "people" } })
    const before = schema()
    expect(() => sqlite(database)).toThrow(UnknownSchema)
    await expect(migrate(db)).rejects.toThrow(
      "The table User is missing: it was dropped, or created under another name",
    )
    expect(schema()).toEqual(before)
  })

  it("reject a table of the same name with another schema, and change nothing", async () => {
    database.exec(`create table "Session" (id text, payload text)`)
    expect(() => sqlite(database)).toThrow(UnknownSchema)
    await expect(migrate(db)).rejects.toThrow("The table Session belongs to another schema")
    expect(tables()).toEqual(["Session"])
  })

  it("reject an unknown migration", async () => {
    await expect(migrate(db, { to: "0000_nothing" })).rejects.toThrow("0000_nothing")
    expect(tables()).toEqual([])
  })

  it("reject tables with a duplicate account, and change nothing", async () => {
    database.exec(`create table "Account" (userId text, type text, provider text, providerAccountId text, refresh_token text,
        access_token text, expires_at integer, token_type text, scope text, id_token text, session_state text);
      insert into "Account" (userId, provider, providerAccountId) values ('a', 'p', '1'), ('b', 'p', '1')`)
    const before = schema()
    expect(() => sqlite(database)).toThrow("UNIQUE")
    expect(schema()).toEqual(before)
    await expect(migrate(db)).rejects.toThrow("UNIQUE")
    expect(tables()).toEqual(["Account"])
    const sentence = "Account has several rows with the same provider, providerAccountId. Their users: a and b"
    expect(() => sqlite(database)).toThrow(sentence)
    await expect(migrate(db)).rejects.toThrow(sentence)
  })

  it("name the users of duplicate addresses, and no address or token", async () => {
    database.exec(`create table "User" (id text, name text, email text, emailVerified text, image text);
      insert into "User" (id, email) values ('u-1', 'ada@example.com'), ('u-2', 'ada@example.com'), ('u-3', null), ('u-4', null);
      create table "VerificationToken" (identifier text, token text, expires text);
      insert into "VerificationToken" values ('ada@example.com', 't0ken', '1'), ('ada@example.com', 't0ken', '2')`)
    const failure = await migrate(db).catch((error: unknown) => error)
    expect(String(failure)).toContain(
      "Remove the duplicates, then migrate again. User has several rows with the same email. Their users: u-1 and u-2. VerificationToken has several rows with the same identifier, token.",
    )
    expect(String(failure)).not.toMatch(/ada@|t0ken/)
    expect(() => sqlite(database)).toThrow("Their users: u-1 and u-2")
  })

  it("create the tables once", async () => {
    expect(await migrate(db)).toEqual(all("up"))
    expect(tables()).toEqual(allTables)
    expect(await migrate(db)).toEqual([])
  })

  it("revert everything with the goal none", async () => {
    await migrate(db)
    expect(await migrate(db, { to: "none" })).toEqual(all("down").toReversed())
    expect(tables()).toEqual([])
    expect(await migrate(db)).toEqual(all("up"))
  })

  it("create the same schema synchronously and through Kysely, with the same migration tables", async () => {
    sqlite(database)
    const synchronous = schema()
    expect(await migrate(db)).toEqual([])
    expect(await migrate(db, { to: "none" })).toHaveLength(changes.length)
    sqlite(database)
    expect(schema()).toEqual(synchronous)

    database = new DatabaseSync(":memory:")
    await migrate(new Kysely({ dialect: nodeSqliteDialect(database) }))
    expect(schema()).toEqual(synchronous)
    sqlite(database)
    expect(schema()).toEqual(synchronous)
  })

  it("migrate a file from before passkeys, and keep its rows", async () => {
    await migrate(db, { to: "0001_create_tables" })
    database.exec(`insert into "User" (id) values ('ada');
      insert into "Authenticator" (credentialID, userId, providerAccountId, credentialPublicKey, counter,
        credentialDeviceType, credentialBackedUp) values ('AA==', 'ada', 'AA==', 'AQ==', 7, 'multiDevice', 1)`)
    const adapter = sqlite(database)
    expect(adapter.getAuthenticator("AA==")).toMatchObject({ counter: 7, name: null, lastUsedAt: null })
    expect(await migrate(db, { to: "0001_create_tables" })).toEqual(all("down").slice(1).toReversed())
    expect(database.prepare(`select counter from "Authenticator"`).get()).toMatchObject({ counter: 7 })
  })

  it("create no table of consumed ids with the option spent: false", async () => {
    const adapter = sqlite(database, { spent: false })
    expect(tables()).toEqual(allTables.filter((name) => name !== "Spent"))
    expect(adapter.consumeOnce).toBeUndefined()
    expect(adapter.removeExpired()).toBe(0)
  })

  it("create no table of verified emails with the option provenEmail: false, and leave out its methods", async () => {
    const adapter = sqlite(database, { provenEmail: false })
    expect(tables()).toEqual(allTables.filter((name) => name !== "ProvenEmail"))
    expect([adapter.markEmailVerified, adapter.isEmailVerified]).toEqual([undefined, undefined])
  })

  it("create no tables for features with the options false, and leave out their methods", async () => {
    const adapter = sqlite(database, {
      temporary: false,
      sessionDetail: false,
      password: false,
      factor: false,
      accountChange: false,
    })
    expect(tables()).toEqual(contractTables)
    const left = featureMethods.filter((method) => Reflect.get(adapter, method) !== undefined)
    expect(left).toEqual(["replaceTokens", "replaceEmail", "transaction"])
    expect(adapter.removeExpired()).toBe(0)
  })

  it("create tables for features under the host's names, with the host's columns", async () => {
    database.exec(`create table "Password" (id text primary key, strength integer)`)
    expect(() => sqlite(database, { password: {} })).toThrow("The table Password belongs to another schema")
    const adapter = sqlite(database, { password: { name: "AppPassword", columns: { hash: "phc" } } })
    expect(tables()).toEqual([...allTables, "AppPassword"].toSorted())
    adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    const password = { userId: "ada", hash: "$argon2id$", changedAt: new Date(1) }
    expect(adapter.setPassword?.({ ...password, from: null })).toBe(true)
    expect(database.prepare(`select phc from "AppPassword"`).get()).toEqual({ phc: "$argon2id$" })
  })

  it.each(["Temporary", "SessionDetail", "Password", "Factor"])(
    "leave the host its own table %s, and the adapter without the methods that need it",
    async (name) => {
      database.exec(`create table "${name}" (number integer primary key, expires text);
        insert into "${name}" values (1, '2000-01-01T00:00:00.000Z')`)
      const own = schema()
      expect(await migrate(db)).toEqual(all("up"))
      expect(await migrate(db)).toEqual([])
      const adapter = sqlite(database)
      expect(schema()).toEqual(expect.arrayContaining(own))
      expect(tables()).toEqual(allTables)
      const withMethods = Object.entries(methodsOf).filter(([, methods]) =>
        methods.every((one) => Reflect.has(adapter, one)),
      )
      const withSome = Object.entries(methodsOf).filter(([, methods]) =>
        methods.some((one) => Reflect.has(adapter, one)),
      )
      expect(withSome).toEqual(withMethods)
      expect(withMethods.map(([table]) => table).toSorted()).toEqual(featureTables.filter((table) => table !== name))
      expect([adapter.removeExpired(), await KyselyAdapter(db).removeExpired()]).toEqual([0, 0])
      expect(await migrate(db, { to: "none" })).toEqual(all("down").toReversed())
      expect([tables(), database.prepare(`select number from "${name}"`).all()]).toEqual([[name], [{ number: 1 }]])
    },
  )

  it("go on after the host has dropped its own table of the name", async () => {
    database.exec(`create table "Password" (number integer)`)
    sqlite(database)
    database.exec(`drop table "Password"`)
    expect(await migrate(db)).toEqual([])
    expect(sqlite(database).setPassword).toBeUndefined()
  })

  it("let a method name the option for a host with its own table of the name", async () => {
    database.exec(`create table "Password" (number integer)`)
    await migrate(db)
    const { createUser, setPassword, getPassword } = KyselyAdapter(db)
    await createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    const message = "The table Password belongs to another schema. Choose another name with the option password"
    const password = { userId: "ada", hash: "$argon2id$", changedAt: new Date(1) }
    await expect(setPassword?.({ ...password, from: null })).rejects.toThrow(message)
    await expect(getPassword?.("ada")).rejects.toThrow(message)
  })

  it("leave an adapter usable before they add the tables of features", async () => {
    await migrate(db, { to: "0003_proven_emails" })
    const adapter = KyselyAdapter(db)
    const expires = new Date(1)
    await adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    await adapter.createSession({ sessionToken: "first", userId: "ada", expires })
    await adapter.createSession({ sessionToken: "second", userId: "ada", expires })
    expect(await adapter.deleteSession("first")).toMatchObject({ sessionToken: "first" })
    expect(await adapter.removeExpired()).toBe(1)
    expect(await adapter.deleteUser("ada")).toMatchObject({ id: "ada" })
    await expect((async () => await adapter.listSessionsByUserId?.("ada"))()).rejects.toThrow("SessionDetail")
    expect(await migrate(db)).toEqual(all("up").slice(3))
    expect(await adapter.listSessionsByUserId?.("ada")).toEqual([])
  })

  it("run together with the host's own migrations, in the host's Migrator", async () => {
    const own = {
      "2000_notes": {
        up: async (runner: Kysely<unknown>) =>
          await runner.schema.createTable("note").addColumn("id", "text").execute(),
      },
    }
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations(db), ...own }) } })
    expect((await migrator.migrateToLatest()).error).toBeUndefined()
    expect(tables()).toEqual(expect.arrayContaining([...allTables, "note"]))
  })

  it("keep the tables and rows of the ecosystem's adapter, and add missing constraints", async () => {
    database.exec(`
      create table "User" (id text primary key default (lower(hex(randomblob(16)))), name text, email text unique, emailVerified text, image text);
      create table "Account" (id text primary key default (lower(hex(randomblob(16)))), userId text not null references "User" (id) on delete cascade,
        type text not null, provider text not null, providerAccountId text not null, refresh_token text, access_token text,
        expires_at integer, token_type text, scope text, id_token text, session_state text);
      create table "Session" (id text primary key default (lower(hex(randomblob(16)))), userId text not null references "User" (id) on delete cascade,
        sessionToken text not null unique, expires text not null);
      create table "VerificationToken" (identifier text not null, token text not null unique, expires text not null);
      insert into "User" values ('ada', 'Ada', 'ada@example.com', '2024-05-06T07:08:09.010Z', null);
      insert into "Account" (userId, type, provider, providerAccountId) values ('ada', 'oidc', 'harbour', '1');
      insert into "Session" (userId, sessionToken, expires) values ('ada', 'kept', '2040-01-01T00:00:00.000Z')`)
    await migrate(db)
    const adapter = KyselyAdapter(db)
    expect(await adapter.getSessionAndUser("kept")).toMatchObject({
      session: { expires: new Date("2040-01-01T00:00:00.000Z") },
      user: { id: "ada", emailVerified: new Date("2024-05-06T07:08:09.010Z") },
    })
    const account = { userId: "ada", type: "oidc", provider: "harbour", providerAccountId: "1" } as const
    await expect((async () => await adapter.linkAccount(account))()).rejects.toThrow("UNIQUE")
    await adapter.linkAccount({ ...account, providerAccountId: "2" })
    await adapter.createSession({ sessionToken: "new", userId: "ada", expires: new Date() })
    await adapter.deleteUser("ada")
    expect(database.prepare(`select count(*) as n from "Session"`).get()).toMatchObject({ n: 0 })
  })
})
