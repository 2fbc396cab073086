import { DatabaseSync } from "node:sqlite"
import { type Database, KyselyAdapter } from "@latchkey/kysely-adapter"
import { migrate } from "@latchkey/kysely-adapter/migrations"
import { nodeSqliteDialect } from "@latchkey/kysely-adapter/sqlite"
import { testAdapter } from "@latchkey/testkit/adapter"
import {
  CamelCasePlugin,
  DummyDriver,
  Kysely,
  MssqlAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sqlAdapter } from "../src/kysely-adapter.js"
import { getDialect } from "../src/sql/dialect.js"
import { type AnyTables, kyselyRunner } from "../src/sql/runner.js"
import { resolveSchema } from "../src/tables/schema.js"

function open<DB>(): Kysely<DB> {
  return new Kysely<DB>({ dialect: nodeSqliteDialect(new DatabaseSync(":memory:")) })
}

/** A database for a whole suite. */
function openShared(): Kysely<AnyTables> {
  const db = open<AnyTables>()
  beforeAll(async () => await migrate(db))
  afterAll(async () => await db.destroy())
  return db
}

const typed = openShared()
const adapter = KyselyAdapter(typed)
testAdapter({ name: "KyselyAdapter", create: () => ({ adapter }) })

const silent = openShared()
const withoutRows = sqlAdapter({
  db: silent,
  dialect: { ...getDialect("sqlite"), returnsRows: false },
  schema: resolveSchema({}),
  runner: kyselyRunner(silent),
  transactions: "own",
})
testAdapter({
  name: "KyselyAdapter on a database that cannot return the rows it wrote",
  create: () => ({ adapter: withoutRows }),
})

describe("KyselyAdapter", () => {
  it("rejects an instance with an unknown dialect", () => {
    const db = new Kysely({
      dialect: {
        createAdapter: () => new MssqlAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: (instance) => new SqliteIntrospector(instance),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    })
    expect(() => KyselyAdapter(db)).toThrow('set "database"')
    expect(() => KyselyAdapter(db, { database: "sqlite" })).not.toThrow()
  })

  it("deletes no user while SQLite ignores foreign keys, in a transaction either", async () => {
    const database = new DatabaseSync(":memory:", { enableForeignKeyConstraints: false })
    const db = new Kysely<Database>({ dialect: nodeSqliteDialect(database) })
    await migrate(db)
    const adapter = KyselyAdapter(db)
    await adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    const deleteUser = async () => await adapter.deleteUser("ada")
    await expect(deleteUser()).rejects.toThrow("foreign_keys = on")
    await expect(adapter.transaction?.(async (within) => await within.deleteUser?.("ada"))).rejects.toThrow(
      "foreign_keys",
    )
    expect(await adapter.getUser("ada")).not.toBeNull()
    database.exec("pragma foreign_keys = on")
    expect(await deleteUser()).toMatchObject({ id: "ada" })
    await db.destroy()
  })

  it("works within the host's transaction", async () => {
    const db = open<Database>()
    await migrate(db)
    await expect(
      db.transaction().execute(async (transaction) => {
        await KyselyAdapter(transaction).createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
        throw new Error("changed my mind")
      }),
    ).rejects.toThrow("changed my mind")
    expect(await KyselyAdapter(db).getUser("ada")).toBeNull()
  })

  it("returns the contract's field names despite a plugin that renames columns", async () => {
    const db = new Kysely<Database>({
      dialect: nodeSqliteDialect(new DatabaseSync(":memory:")),
      plugins: [new CamelCasePlugin()],
    })
    await migrate(db)
    const adapter = KyselyAdapter(db)
    await adapter.createUser({ id: "ada", email: "ada@example.com", emailVerified: new Date(1) })
    await adapter.linkAccount({ userId: "ada", type: "oidc", provider: "p", providerAccountId: "1", access_token: "a" })
    expect(await adapter.getAccount("1", "p")).toMatchObject({ userId: "ada", access_token: "a" })
    expect(await adapter.getUserByAccount({ provider: "p", providerAccountId: "1" })).toMatchObject({
      emailVerified: new Date(1),
    })
  })

  it("provides types for the host's own queries", async () => {
    const db = open<Database>()
    await migrate(db)
    await KyselyAdapter(db).createUser({ id: "ada", email: "ada@example.com", emailVerified: null })
    const row = await db.selectFrom("User").select(["id", "emailVerified"]).executeTakeFirstOrThrow()
    expect({ ...row }).toEqual({ id: "ada", emailVerified: null })
  })

  it("does not query for text with U+0000 if the database cannot store it", async () => {
    const db = open<AnyTables>()
    const dialect = { ...getDialect("sqlite"), storesNul: false }
    const adapter = sqlAdapter({
      db,
      dialect,
      schema: resolveSchema({}),
      runner: kyselyRunner(db),
      transactions: "own",
    })
    expect(await adapter.getSessionAndUser("a\0b")).toBeNull()
    await expect((async () => await adapter.getSessionAndUser("ab"))()).rejects.toThrow("was not migrated")
  })

  it("names all tables and columns that are missing, and how to migrate, in each error and at the check of the store", async () => {
    const db = open<AnyTables>()
    const adapter = KyselyAdapter(db)
    const consume = async () => await adapter.consumeOnce?.("1", new Date(1))
    const all = ["User", "Account", "Session", "VerificationToken", "Authenticator", "Spent", "ProvenEmail"]
    await expect(consume()).rejects.toThrow(
      `Missing: ${all.join(", ")}, Temporary, SessionDetail, Password, Factor, Acc`,
    )
    await migrate(db)
    await adapter.checkStore()
    await sql`drop table Spent`.execute(db)
    await sql`alter table Authenticator drop column name`.execute(db)
    const sentence =
      "The database was not migrated. Missing: Authenticator.name, Spent. Run `npx --no latchkey migrate` before the app starts"
    const passkey = async () => await adapter.getAuthenticator("a")
    const inTransaction = async () =>
      await adapter.transaction?.(async (own) => await own.consumeOnce?.("1", new Date(1)))
    for (const ask of [consume, passkey, inTransaction, adapter.checkStore])
      await expect(ask()).rejects.toThrow(sentence)
    await expect(adapter.checkStore()).rejects.not.toThrow("\n")
    expect(await adapter.getUser("1")).toBeNull()
  })

  it("names the table that the database names in a transaction of the host", async () => {
    const work = open<AnyTables>()
      .transaction()
      .execute(async (transaction) => await KyselyAdapter(transaction).getUser("1"))
    await expect(work).rejects.toThrow("no such table: User. Run `npx --no latchkey migrate`")
  })
})

describe("nodeSqliteDialect", () => {
  it("rejects an object as a parameter, which SQLite would store as NULL", async () => {
    const db = open<{ note: { text: unknown } }>()
    await db.schema.createTable("note").addColumn("text", "text").execute()
    await expect(
      db
        .insertInto("note")
        .values({ text: { a: 1 } })
        .execute(),
    ).rejects.toThrow("cannot store")
  })

  it("binds booleans, dates, bytes and numbers", async () => {
    const db = open<{ note: { a: unknown; b: unknown; c: unknown; d: unknown } }>()
    await db.schema
      .createTable("note")
      .addColumn("a", "integer")
      .addColumn("b", "text")
      .addColumn("c", "blob")
      .addColumn("d", "integer")
      .execute()
    await db
      .insertInto("note")
      .values({ b: new Date(1), a: true, c: new Uint8Array([7]), d: 12n })
      .execute()
    const row = await db.selectFrom("note").selectAll().executeTakeFirstOrThrow()
    expect({ ...row }).toEqual({ a: 1, b: "1970-01-01T00:00:00.001Z", c: new Uint8Array([7]), d: 12 })
  })

  it("streams rows", async () => {
    const db = open<{ note: { a: number } }>()
    await db.schema.createTable("note").addColumn("a", "integer").execute()
    await db
      .insertInto("note")
      .values([{ a: 1 }, { a: 2 }])
      .execute()
    const seen: number[] = []
    for await (const row of db.selectFrom("note").selectAll().stream()) seen.push(row.a)
    expect(seen).toEqual([1, 2])
  })
})
