import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/pg"
import { testAdapter, testFeatures } from "@latchkey/testkit/adapter"
import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres"
import { getTableConfig } from "drizzle-orm/pg-core"
import { Pool } from "pg"
import { afterAll, beforeAll, describe } from "vitest"
import { testMovedSessions } from "../../../../test/processes/moved-sessions.suite.js"
import { createStatements, tablesOf } from "../fixtures.js"
import { testServer } from "./server.suite.js"

// Neither the process nor the server is in UTC, and the server writes dates in a format that it does not read.
process.env["TZ"] = "America/St_Johns"
const settings = { timezone: "Asia/Kolkata", datestyle: "German" }

testMovedSessions({
  name: "PostgreSQL, with Drizzle",
  program: "postgres",
  async open() {
    const server = await startPostgres(settings)
    const openPool = () => {
      const opened = new Pool({ connectionString: server.url })
      opened.on("error", () => undefined) // The server stops.
      return opened
    }
    const pool = openPool()
    for (const statement of createStatements(tablesOf(schema), getTableConfig)) await pool.query(statement)
    await pool.end()
    const connect = () => {
      const own = openPool()
      return { adapter: DrizzleAdapter(drizzle(own), schema), close: () => own.end() }
    }
    return { connect, stop: () => server.stop() }
  },
})

describe.skipIf(!hasProgram("postgres"))("PostgreSQL", () => {
  let server: DatabaseServer
  let pool: Pool
  let db: NodePgDatabase

  function openPool(): Pool {
    const opened = new Pool({ connectionString: server.url })
    opened.on("error", () => undefined)
    return opened
  }

  beforeAll(async () => {
    server = await startPostgres(settings)
    pool = openPool()
    db = drizzle(pool)
    for (const statement of createStatements(tablesOf(schema), getTableConfig)) await pool.query(statement)
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
      const own = openPool()
      const adapter = DrizzleAdapter(drizzle(own, { schema }), schema, { timeoutMilliseconds })
      return { adapter, close: () => own.end() }
    },
    async openExhausted(timeoutMilliseconds) {
      const own = new Pool({ connectionString: server.url, max: 1 })
      const taken = await own.connect()
      const adapter = DrizzleAdapter(drizzle(own, { schema }), schema, { timeoutMilliseconds })
      return {
        adapter,
        async close() {
          taken.release()
          await own.end()
        },
      }
    },
    async holdUser(id) {
      const client = await pool.connect()
      await client.query("begin")
      await client.query(`update "user" set name = 'held' where id = $1`, [id])
      return async () => {
        await client.query("rollback")
        client.release()
      }
    },
    spoiling: [
      'alter table "user" drop constraint user_email_key',
      "create collation folding (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
      'alter table "user" alter column email type text collate folding',
      // Other tests left long tokens.
      "alter table account alter column access_token type varchar(255) using left(access_token, 255)",
    ],
    async spoil(statements) {
      for (const statement of statements) await pool.query(statement)
    },
  })
})
