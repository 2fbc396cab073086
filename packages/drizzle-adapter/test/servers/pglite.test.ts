import { PGlite } from "@electric-sql/pglite"
import { drizzle } from "drizzle-orm/pglite"
import { afterAll, beforeAll } from "vitest"
import { settings, testHostTables } from "../host-tables.suite.js"

process.env["TZ"] = "America/St_Johns"

const client = new PGlite()
beforeAll(async () => {
  await client.exec(`set timezone = '${settings.timezone}'; set datestyle = '${settings.datestyle}'`)
})
afterAll(async () => await client.close())

const database = { db: drizzle(client), execute: (statement: string) => client.exec(statement) }
// Those with UUIDs pass it in PostgreSQL, which takes a tenth of the time.
testHostTables(() => database, ["integer"])
