import { is } from "drizzle-orm"
import {
  MySqlDatabase,
  type MySqlQueryResultHKT,
  MySqlTransaction,
  type PreparedQueryHKTBase,
} from "drizzle-orm/mysql-core"
import { PgDatabase, type PgQueryResultHKT, PgTransaction } from "drizzle-orm/pg-core"
import { BaseSQLiteDatabase, SQLiteTransaction } from "drizzle-orm/sqlite-core"
import * as mysqlTables from "./mysql/tables.js"
import * as postgresTables from "./pg/tables.js"
import * as sqliteTables from "./sqlite/tables.js"
import type { Dialect } from "./statements/dialect.js"
import { mysqlDialect } from "./statements/mysql-dialect.js"
import { postgresDialect } from "./statements/postgres-dialect.js"
import { sqliteDialect } from "./statements/sqlite-dialect.js"
import type { DrizzleTables } from "./tables/drizzle-tables.js"

type Builders = "select" | "insert" | "update" | "delete"

/** A database of Drizzle's, with any driver and any schema, or a transaction of one. */
export type DrizzleDatabase =
  | Pick<PgDatabase<PgQueryResultHKT>, Builders>
  | Pick<MySqlDatabase<MySqlQueryResultHKT, PreparedQueryHKTBase>, Builders>
  | Pick<BaseSQLiteDatabase<"sync", unknown>, Builders>
  | Pick<BaseSQLiteDatabase<"async", unknown>, Builders>

/** What a database is, beside the driver under it. */
export interface DatabaseKind {
  readonly dialect: Dialect
  readonly defaultTables: Required<DrizzleTables>
  readonly isTransaction: boolean
}

/** @throws TypeError when it is no database of Drizzle's, or one for which there are no statements here */
export function kindOf(db: DrizzleDatabase): DatabaseKind {
  if (is(db, PgDatabase)) {
    return { dialect: postgresDialect, defaultTables: plain(postgresTables), isTransaction: is(db, PgTransaction) }
  }
  if (is(db, MySqlDatabase)) {
    return { dialect: mysqlDialect, defaultTables: plain(mysqlTables), isTransaction: is(db, MySqlTransaction) }
  }
  if (is(db, BaseSQLiteDatabase)) {
    return { dialect: sqliteDialect, defaultTables: plain(sqliteTables), isTransaction: is(db, SQLiteTransaction) }
  }
  throw new TypeError("db must be a database of Drizzle's for PostgreSQL, MySQL or SQLite")
}

/**
 * The default tables with the columns of the ecosystem's alone, so that a host that comes from there need not change its
 * database: Drizzle names every column of a definition in each insertion.
 */
function plain(
  tables: Required<DrizzleTables> & {
    readonly plainAuthenticatorsTable: Required<DrizzleTables>["authenticatorsTable"]
  },
): Required<DrizzleTables> {
  return { ...tables, authenticatorsTable: tables.plainAuthenticatorsTable }
}
