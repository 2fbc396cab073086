import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import * as schema from "@latchkey/drizzle-adapter/sqlite"
import { testAdapter } from "@latchkey/testkit/adapter"
import { getTableConfig } from "drizzle-orm/sqlite-core"
import { describe } from "vitest"
import { createStatements, tablesOf } from "./create-tables.js"
import { openNodeSqlite } from "./node-sqlite-drizzle.js"

process.env["TZ"] = "America/St_Johns"

describe("SQLite", () => {
  const { db, database } = openNodeSqlite()
  for (const statement of createStatements(tablesOf(schema), getTableConfig)) database.exec(statement)

  testAdapter({ name: "with all tables", create: () => ({ adapter: DrizzleAdapter(db, schema) }) })
})
