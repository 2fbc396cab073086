import { DatabaseSync } from "node:sqlite"
import { type Database, KyselyAdapter } from "@latchkey/kysely-adapter"
import { schemaSql } from "@latchkey/kysely-adapter/migrations"
import { type ConnectedAdapter, mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { nodeSqliteDialect } from "@latchkey/kysely-adapter/sqlite"
import { testLookAlikes } from "@latchkey/testkit/adapter"
import {
  collateMariadb,
  collatePostgres,
  type DatabaseServer,
  hasProgram,
  lenientCollations,
  startMariadb,
  startPostgres,
} from "@latchkey/testkit/servers"
import { Kysely, sql } from "kysely"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const layouts = { direct: {}, linked: { layout: "linked" } } as const

/** What each collation is said to ignore. */
const ignored: Readonly<Record<string, string>> = {
  utf8mb4_general_ci: "case, accents, or spaces at the end",
  utf8mb4_uca1400_ai_ci: "case, accents, spaces at the end, or invisible characters",
  utf8mb4_bin: "spaces at the end",
  ICU: "what the collation lenient ignores",
}

/** Comes last: it mends the tables. */
function testDefects(collation: string, open: () => ConnectedAdapter): void {
  it("ADP-13: is named to the operator, with the statement that mends it", async () => {
    const adapter = open()
    const found = await adapter.findStoreDefects()
    expect(found.length).toBeGreaterThan(10)
    for (const { kind, sentence, statement = "" } of found) {
      expect([kind, sentence]).toEqual(["collation", expect.stringContaining(` differ in ${ignored[collation]}, so`)])
      await run(adapter, statement)
    }
    expect(await adapter.findStoreDefects()).toEqual([])
  })
}

const run = async ({ db }: ConnectedAdapter, text: string) => (await sql.raw(text).execute(db)).rows

describe.skipIf(!hasProgram("mariadbd"))("MariaDB", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariadb()
  })
  afterAll(async () => await server.stop())

  it("ADP-13: columns of foreign keys are mended together", async () => {
    const operator = mysql(server.url)
    await run(operator, "create database linked character set utf8mb4 collate utf8mb4_general_ci")
    await operator.close()
    const adapter = mysql(server.url.replace(/app$/, "linked"))
    // The tables of a host, to which the others get foreign keys of the same collation.
    await run(
      adapter,
      `create table User (id varchar(191) primary key, name text, email varchar(191), emailVerified datetime(3), image text)`,
    )
    await adapter.migrate()
    const found = await adapter.findStoreDefects()
    const columns = found.map(({ sentence }) => sentence.split(" ", 1)[0])
    expect(columns).toEqual(["User.id", "User.email", "ProvenEmail.userId"])
    for (const { statement = "" } of found.slice(0, 2)) {
      for (const one of statement.split("; ")) await run(adapter, one)
    }
    expect(await adapter.findStoreDefects()).toEqual([])
    const user = await adapter.createUser({ id: "close", email: "ada@example.com", emailVerified: null })
    await adapter.createSession({ sessionToken: "token", userId: user.id, expires: new Date("2040-01-01") })
    await adapter.deleteUser("close")
    expect(await adapter.getSessionAndUser("token")).toBeNull()
    await adapter.close()
  })

  const cases = lenientCollations.flatMap((collation) =>
    Object.entries(layouts).map(([layout, options]) => ({ collation, layout, options })),
  )
  describe.each(cases)("$collation, $layout layout", ({ collation, layout, options }) => {
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      const operator = mysql(server.url)
      const name = `${collation}_${layout}`
      await run(operator, `create database ${name}`)
      await operator.close()
      adapter = mysql(server.url.replace(/app$/, name), options)
      await adapter.migrate()
      await collateMariadb((text) => run(adapter, text), collation)
    })
    afterAll(async () => await adapter.close())

    testLookAlikes("MariaDB", () => ({ adapter }))
    testDefects(collation, () => adapter)
  })
})

describe.skipIf(!hasProgram("postgres"))("PostgreSQL", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(async () => await server.stop())

  describe.each(Object.entries(layouts))("%s layout", (layout, options) => {
    let adapter: ConnectedAdapter
    beforeAll(async () => {
      const operator = postgres(server.url)
      await run(operator, `create database ${layout}`)
      await operator.close()
      adapter = postgres(server.url.replace(/postgres$/, layout), options)
      await adapter.migrate()
      await collatePostgres((text) => run(adapter, text))
    })
    afterAll(async () => await adapter.close())

    testLookAlikes("PostgreSQL", () => ({ adapter }))
    testDefects("ICU", () => adapter)
  })
})

describe.each(["nocase", "rtrim"])("SQLite, collate %s", (collation) => {
  const database = new DatabaseSync(":memory:")
  const tables = schemaSql("sqlite").replaceAll(/, constraint "\w+" foreign key [^,;]* on delete cascade/g, "")
  database.exec(tables.replaceAll(/ text\b/g, ` text collate ${collation}`))
  const db = new Kysely<Database>({ dialect: nodeSqliteDialect(database) })
  testLookAlikes("SQLite", () => ({ adapter: KyselyAdapter(db) }))
})
