import { type DrizzleAdapter as Adapter, DrizzleAdapter } from "@latchkey/drizzle-adapter"
import * as mysqlTables from "@latchkey/drizzle-adapter/mysql"
import * as pgTables from "@latchkey/drizzle-adapter/pg"
import * as sqliteTables from "@latchkey/drizzle-adapter/sqlite"
import { testLookAlikes } from "@latchkey/testkit/adapter"
import {
  collateMariadb,
  collatePostgres,
  hasProgram,
  lenientCollations,
  startMariadb,
  startPostgres,
} from "@latchkey/testkit/servers"
import { getTableConfig as getMysqlConfig } from "drizzle-orm/mysql-core"
import { drizzle as drizzleMysql } from "drizzle-orm/mysql2"
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres"
import { getTableConfig as getPgConfig } from "drizzle-orm/pg-core"
import { getTableConfig as getSqliteConfig } from "drizzle-orm/sqlite-core"
import { createPool, type RowDataPacket } from "mysql2/promise"
import { Pool } from "pg"
import { afterAll, beforeAll, describe } from "vitest"
import { createStatements, openNodeSqlite, tablesOf } from "../fixtures.js"

interface Opened {
  readonly adapter: Adapter
  close(): Promise<void>
}

async function openMariadb(collation: string): Promise<Opened> {
  const server = await startMariadb()
  const pool = createPool(server.url)
  const query = async (text: string) => (await pool.query<RowDataPacket[]>(text))[0]
  for (const statement of createStatements(tablesOf(mysqlTables), getMysqlConfig, "`")) await pool.query(statement)
  await collateMariadb(query, collation)
  const close = async () => {
    await pool.end()
    await server.stop()
  }
  return { adapter: DrizzleAdapter(drizzleMysql(pool), mysqlTables), close }
}

async function openPostgres(): Promise<Opened> {
  const server = await startPostgres()
  const pool = new Pool({ connectionString: server.url })
  pool.on("error", () => undefined) // The server stops.
  for (const statement of createStatements(tablesOf(pgTables), getPgConfig)) await pool.query(statement)
  await collatePostgres(async (text) => (await pool.query(text)).rows)
  const close = async () => {
    await pool.end()
    await server.stop()
  }
  return { adapter: DrizzleAdapter(drizzlePg(pool), pgTables), close }
}

async function openSqlite(collation: string): Promise<Opened> {
  const { db, database } = openNodeSqlite()
  for (const statement of createStatements(tablesOf(sqliteTables), getSqliteConfig)) {
    const table = statement.replaceAll(/, foreign key \([^)]*\) references [^)]*\) on delete [a-z]+( action)?/g, "")
    database.exec(table.replaceAll(/ text\b/g, ` text collate ${collation}`))
  }
  return { adapter: DrizzleAdapter(db, sqliteTables), close: async () => database.close() }
}

const cases = [
  ...lenientCollations.map((collation) => ({ program: "mariadbd", collation, open: () => openMariadb(collation) })),
  { program: "postgres", collation: "ICU", open: openPostgres },
  ...["nocase", "rtrim"].map((collation) => ({ program: "node", collation, open: () => openSqlite(collation) })),
]

for (const { program, collation, open } of cases)
  describe.skipIf(!hasProgram(program))(`${program}, ${collation}`, () => {
    let opened: Opened
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(async () => await opened.close())

    testLookAlikes("Drizzle", () => ({ adapter: opened.adapter }))
  })
