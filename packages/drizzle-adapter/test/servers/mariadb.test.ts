import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/mysql"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startMariadb } from "@latchkey/testkit/servers"
import { getTableConfig } from "drizzle-orm/mysql-core"
import { drizzle, type MySql2Database } from "drizzle-orm/mysql2"
import { createPool, type Pool } from "mysql2/promise"
import { afterAll, beforeAll, describe } from "vitest"
import { createStatements, tablesOf } from "../fixtures.js"
import { testServer } from "./server.suite.js"

// Neither the process nor the server is in UTC, and the server truncates values that do not fit.
process.env["TZ"] = "America/St_Johns"
const settings = { "default-time-zone": "+05:30", "sql-mode": "", "character-set-server": "latin1" }

describe.skipIf(!hasProgram("mariadbd"))("MariaDB", () => {
  let server: DatabaseServer
  let pool: Pool
  let db: MySql2Database

  beforeAll(async () => {
    server = await startMariadb(settings)
    pool = createPool(server.url)
    db = drizzle(pool)
    for (const statement of createStatements(tablesOf(schema), getTableConfig, "`")) await pool.query(statement)
  }, 60_000)
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  testAdapter({ name: "with all tables", create: () => ({ adapter: DrizzleAdapter(db, schema) }) })
  testFeatures({ name: "the service", create: () => ({ adapter: DrizzleAdapter(db, schema) }) })

  testServer({
    server: () => server,
    open(timeoutMilliseconds) {
      const own = createPool(server.url)
      const db = drizzle(own, { schema, mode: "default" })
      return { adapter: DrizzleAdapter(db, schema, { timeoutMilliseconds }), close: () => own.end() }
    },
    async openExhausted(timeoutMilliseconds) {
      const own = createPool({ uri: server.url, connectionLimit: 1 })
      const taken = await own.getConnection()
      const db = drizzle(own, { schema, mode: "default" })
      return {
        adapter: DrizzleAdapter(db, schema, { timeoutMilliseconds }),
        async close() {
          taken.release()
          await own.end()
        },
      }
    },
    async holdUser(id) {
      const connection = await pool.getConnection()
      await connection.beginTransaction()
      await connection.query("update user set name = 'held' where id = ?", [id])
      return async () => {
        await connection.rollback()
        connection.release()
      }
    },
    spoiling: [
      "alter table user drop index email",
      "alter table user modify email varchar(255) character set utf8mb4 collate utf8mb4_general_ci",
      "alter table account modify access_token varchar(255)",
    ],
    async spoil(statements) {
      for (const statement of statements) await pool.query(statement)
    },
  })
})
