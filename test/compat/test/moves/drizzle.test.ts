import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import { type DatabaseServer, hasProgram, startMariadb, startPostgres } from "@latchkey/testkit/servers"
import { drizzle as overMysql } from "drizzle-orm/mysql2"
import { drizzle as overPg } from "drizzle-orm/node-postgres"
import { createPool } from "mysql2/promise"
import { afterAll, beforeAll, describe } from "vitest"
import { openDrizzleMysql, openDrizzlePg, openDrizzleSqlite, overNode } from "../theirs/drizzle-store.js"
import { openPool } from "../theirs/pg-pool.js"
import { testMove } from "./move.suite.js"

const move = "from @auth/drizzle-adapter to @latchkey/drizzle-adapter"

describe.skipIf(!hasProgram("postgres"))(`${move} in PostgreSQL`, () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startPostgres({ timezone: "Asia/Kolkata" })
  })
  afterAll(() => server.stop())

  testMove({
    hasPasskeys: true,
    hasWayBack: true,
    openTheirs: () => openDrizzlePg(server.url, "theirs"),
    openOurs() {
      const pool = openPool(server.url, "theirs")
      return { adapter: DrizzleAdapter(overPg(pool)), close: () => pool.end() }
    },
  })
})

describe.skipIf(!hasProgram("mariadbd"))(`${move} in MariaDB`, () => {
  let server: DatabaseServer
  beforeAll(async () => {
    server = await startMariadb({ "character-set-server": "utf8mb4", "default-time-zone": "+05:30" })
  })
  afterAll(() => server.stop())

  testMove({
    hasPasskeys: true,
    hasWayBack: true,
    openTheirs: () => openDrizzleMysql(server.url),
    openOurs() {
      const pool = createPool(server.url)
      return { adapter: DrizzleAdapter(overMysql(pool)), close: () => pool.end() }
    },
  })
})

describe(`${move} in SQLite`, () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "latchkey-moves-"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  testMove({
    hasPasskeys: true,
    hasWayBack: true,
    openTheirs: () => openDrizzleSqlite(join(folder, "app.db")),
    openOurs() {
      const database = new DatabaseSync(join(folder, "app.db"))
      return { adapter: DrizzleAdapter(overNode(database)), close: () => database.close() }
    },
  })
})
