import { type DatabaseServer, hasProgram, startPostgres } from "@latchkey/testkit/servers"
import { drizzle } from "drizzle-orm/node-postgres"
import { Pool } from "pg"
import { afterAll, beforeAll, describe } from "vitest"
import { settings, testHostTables } from "../host-tables.suite.js"

process.env["TZ"] = "America/St_Johns"

describe.skipIf(!hasProgram("postgres"))("a database of a host in PostgreSQL", () => {
  let server: DatabaseServer
  let pool: Pool
  beforeAll(async () => {
    server = await startPostgres(settings)
    pool = new Pool({ connectionString: server.url })
    pool.on("error", () => undefined) // The server stops.
  })
  afterAll(async () => {
    await pool.end()
    await server.stop()
  })

  testHostTables(() => ({ db: drizzle(pool), execute: (statement) => pool.query(statement) }), ["uuid", "integer"])
})
