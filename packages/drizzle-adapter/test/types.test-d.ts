import type { Adapter } from "@latchkey/core/adapters"
import { DrizzleAdapter } from "@latchkey/drizzle-adapter"
import * as mysqlTables from "@latchkey/drizzle-adapter/mysql"
import * as postgresTables from "@latchkey/drizzle-adapter/pg"
import * as sqliteTables from "@latchkey/drizzle-adapter/sqlite"
import type { MySql2Database } from "drizzle-orm/mysql2"
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import { pgTable, text } from "drizzle-orm/pg-core"
import type { BaseSQLiteDatabase } from "drizzle-orm/sqlite-core"
import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy"
import { expectTypeOf } from "vitest"

declare const postgres: NodePgDatabase
declare const postgresWithSchema: NodePgDatabase<typeof postgresTables>
declare const mysql: MySql2Database
declare const mysqlWithSchema: MySql2Database<typeof mysqlTables>
declare const sqlite: SqliteRemoteDatabase
declare const sqliteWithSchema: SqliteRemoteDatabase<typeof sqliteTables>
declare const syncSqlite: BaseSQLiteDatabase<"sync", { changes: number }, typeof sqliteTables>

// Accepts every Drizzle database with any driver and schema, and transactions.
for (const adapter of [
  DrizzleAdapter(postgres),
  DrizzleAdapter(postgresWithSchema, postgresTables),
  DrizzleAdapter(mysql),
  DrizzleAdapter(mysqlWithSchema, mysqlTables),
  DrizzleAdapter(sqlite),
  DrizzleAdapter(sqliteWithSchema, sqliteTables, { timeoutMilliseconds: 500 }),
  DrizzleAdapter(syncSqlite, sqliteTables),
])
  expectTypeOf(adapter).toExtend<Adapter>()

await postgresWithSchema.transaction(async (transaction) => {
  await DrizzleAdapter(transaction, postgresTables).getUser("ada")
})

const spent = pgTable("spent", { id: text("id") })
// @ts-expect-error: the table has no column for `expires`
DrizzleAdapter(postgres, { spentTable: spent })
// @ts-expect-error: not a Drizzle database
DrizzleAdapter({ query: () => undefined })

// The tables are plain Drizzle tables with types for the host's own queries.
expectTypeOf<typeof postgresTables.usersTable.$inferSelect>().toEqualTypeOf<{
  id: string
  name: string | null
  email: string | null
  emailVerified: Date | null
  image: string | null
}>()
expectTypeOf<typeof mysqlTables.sessionsTable.$inferSelect>().toEqualTypeOf<{
  sessionToken: string
  userId: string
  expires: Date
}>()
expectTypeOf<typeof sqliteTables.authenticatorsTable.$inferSelect.credentialBackedUp>().toEqualTypeOf<boolean>()
