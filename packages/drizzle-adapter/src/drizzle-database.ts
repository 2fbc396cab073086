import { entityKind, is } from "drizzle-orm"
import {
  MySqlDatabase,
  type MySqlQueryResultHKT,
  MySqlTransaction,
  type PreparedQueryHKTBase,
} from "drizzle-orm/mysql-core"
import { PgDatabase, type PgQueryResultHKT, PgTransaction } from "drizzle-orm/pg-core"
import { BaseSQLiteDatabase, SQLiteTransaction } from "drizzle-orm/sqlite-core"
import { type Dialect, mysqlDialect, postgresDialect, sqliteDialect } from "./dialect.js"
import * as mysqlTables from "./mysql/tables.js"
import * as postgresTables from "./pg/tables.js"
import type { DrizzleTables } from "./record-tables.js"
import * as sqliteTables from "./sqlite/tables.js"

type Builders = "select" | "insert" | "update" | "delete"

/** A Drizzle database with any driver and any schema, or one of its transactions. */
export type DrizzleDatabase =
  | Pick<PgDatabase<PgQueryResultHKT>, Builders>
  | Pick<MySqlDatabase<MySqlQueryResultHKT, PreparedQueryHKTBase>, Builders>
  | Pick<BaseSQLiteDatabase<"sync", unknown>, Builders>
  | Pick<BaseSQLiteDatabase<"async", unknown>, Builders>

/** The properties of a database that do not depend on its driver. */
export interface DatabaseTraits {
  readonly dialect: Dialect
  readonly defaultTables: Required<DrizzleTables>
  readonly isTransaction: boolean
  /** Whether `transaction` runs asynchronous work on a connection of its own. */
  readonly hasTransactions: boolean
}

/** @throws TypeError when the value is not a Drizzle database, or one without a dialect here */
export function inspectDatabase(db: DrizzleDatabase): DatabaseTraits {
  if (is(db, PgDatabase)) {
    return {
      dialect: postgresDialect,
      defaultTables: plain(postgresTables),
      isTransaction: is(db, PgTransaction),
      hasTransactions: hasTransactions(db),
    }
  }
  if (is(db, MySqlDatabase)) {
    return {
      dialect: mysqlDialect,
      defaultTables: plain(mysqlTables),
      isTransaction: is(db, MySqlTransaction),
      hasTransactions: hasTransactions(db),
    }
  }
  if (is(db, BaseSQLiteDatabase)) {
    return {
      dialect: sqliteDialect,
      defaultTables: plain(sqliteTables),
      isTransaction: is(db, SQLiteTransaction),
      hasTransactions: false,
    }
  }
  throw new TypeError("db must be a Drizzle database for PostgreSQL, MySQL or SQLite")
}

/** Drivers over HTTP, whose `transaction` throws. */
const withoutTransactions: ReadonlySet<unknown> = new Set([
  "NeonHttpSession",
  "PgRemoteSession",
  "XataHttpSession",
  "MySqlRemoteSession",
])

function hasTransactions(db: object): boolean {
  const session: unknown = Reflect.get(db, "session")
  const kind: unknown = session instanceof Object ? Reflect.get(session.constructor, entityKind) : undefined
  return !withoutTransactions.has(kind)
}

type Plain = { readonly plainAuthenticatorsTable: Required<DrizzleTables>["authenticatorsTable"] }

/**
 * The default tables with only the ecosystem's columns, so that hosts can move without changing their database: Drizzle
 * names every column of a definition in each insert.
 */
function plain(tables: Required<DrizzleTables> & Plain): Required<DrizzleTables> {
  return { ...tables, authenticatorsTable: tables.plainAuthenticatorsTable }
}
