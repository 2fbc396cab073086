import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { mysql } from "@latchkey/kysely-adapter/mysql"
import { postgres } from "@latchkey/kysely-adapter/postgres"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { MysqlDialect, PostgresDialect, SqliteDialect } from "kysely"
import { createPool } from "mysql2"
import { afterAll, beforeAll, describe } from "vitest"
import { openKyselyStore } from "../theirs/kysely-store.js"
import { toKysely } from "../theirs/node-sqlite.js"
import { openPool } from "../theirs/pg-pool.js"
import { openPgStore } from "../theirs/pg-store.js"
import { readSqlFromGuide } from "./guide-code.js"
import { testMove } from "./move.suite.js"

describe.skipIf(!hasProgram("postgres"))("in PostgreSQL", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startPostgres({ timezone: "Asia/Kolkata" })
  })
  afterAll(() => server.stop())

  describe("from @auth/pg-adapter to @latchkey/kysely-adapter", () => {
    testMove({
      hasPasskeys: false,
      hasWayBack: true,
      openTheirs: () => openPgStore(server.url, "theirs"),
      async openOurs() {
        const adapter = postgres(
          { connectionString: server.url, options: "-c search_path=theirs" },
          {
            ids: "integer",
            user: { name: "users" },
            account: { name: "accounts" },
            session: { name: "sessions" },
            verificationToken: { name: "verification_token" },
          },
        )
        await adapter.migrate()
        return { adapter, close: adapter.close }
      },
    })
  })

  describe("from @auth/kysely-adapter to @latchkey/kysely-adapter", () => {
    testMove({
      hasPasskeys: false,
      hasWayBack: true,
      openTheirs: () => openKyselyStore("postgres", new PostgresDialect({ pool: openPool(server.url) })),
      async openOurs() {
        const adapter = postgres(server.url, { ids: "uuid" })
        await adapter.migrate()
        return { adapter, close: adapter.close }
      },
    })
  })
})

describe.skipIf(!hasProgram("mariadbd"))("in MariaDB", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariadb({ "character-set-server": "utf8mb4", "default-time-zone": "+05:30" })
  })
  afterAll(() => server.stop())

  describe("from @auth/kysely-adapter to @latchkey/kysely-adapter", () => {
    testMove({
      hasPasskeys: false,
      hasWayBack: true,
      openTheirs: () => openKyselyStore("mysql", new MysqlDialect({ pool: createPool(server.url) })),
      async openOurs() {
        const adapter = mysql(server.url)
        await adapter.migrate()
        return { adapter, close: adapter.close }
      },
    })
  })
})

describe.skipIf(!hasProgram("mariadbd"))("in MariaDB, with dates in the time zone of the process", () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariadb({ "character-set-server": "utf8mb4" })
  })
  afterAll(() => server.stop())

  describe("from @auth/kysely-adapter to @latchkey/kysely-adapter", () => {
    testMove({
      hasPasskeys: false,
      hasWayBack: false,
      openTheirs: () =>
        openKyselyStore("mysql", new MysqlDialect({ pool: createPool({ uri: server.url, timezone: "+05:30" }) })),
      async openOurs() {
        const pool = createPool({ uri: server.url })
        for (const statement of readSqlFromGuide("convert_tz")) await pool.promise().query(statement)
        await pool.promise().end()
        const adapter = mysql(server.url)
        await adapter.migrate()
        return { adapter, close: adapter.close }
      },
    })
  })
})

describe("in SQLite", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-moves-"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  describe("from @auth/kysely-adapter to @latchkey/kysely-adapter", () => {
    const open = () => new SqliteDialect({ database: toKysely(new DatabaseSync(join(folder, "app.db"))) })
    testMove({
      hasPasskeys: false,
      hasWayBack: true,
      openTheirs: () => openKyselyStore("sqlite", open()),
      openOurs() {
        const adapter = sqlite(join(folder, "app.db"))
        return { adapter, close: adapter.close }
      },
    })
  })
})
