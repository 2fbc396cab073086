import { type DialectAdapter, type Expression, MysqlAdapter, PostgresAdapter, SqliteAdapter, sql } from "kysely"
import type { ColumnKind } from "../tables/column.js"
import type { AnyKysely } from "./any-kysely.js"

/** The databases whose statements the adapter knows. `mysql` is MariaDB as well. */
export type DatabaseKind = "sqlite" | "postgres" | "mysql"

/** The little that databases differ in. */
export interface SqlDialect {
  readonly kind: DatabaseKind
  /** How a column is declared, by what it holds. */
  readonly columnTypes: Readonly<Record<ColumnKind, string>>
  /** Whether a statement that writes can give the rows it wrote. */
  readonly returnsRows: boolean
  /** Whether indexes are made by statements of their own, which can be told to skip those that exist. */
  readonly separatesIndexes: boolean
  /** Whether text may hold the character U+0000. */
  readonly storesNul: boolean
  /** The parameter that stands for an instant. */
  toDateParameter(date: Date): string
  toBooleanParameter(value: boolean): boolean | number
  /** Reads a date column in a form that does not depend on the driver's time zone. */
  selectDate(column: Expression<unknown>): Expression<unknown>
  /** Whether the instant in a column lies before a date parameter. */
  isBefore(column: Expression<unknown>, date: string): Expression<boolean>
}

/**
 * Dates are ISO 8601 text in UTC (`2025-01-02T03:04:05.678Z`): readable, exact to the millisecond, and sorted as text
 * they are sorted in time. Milliseconds that another library left in such a column are read, but never taken for
 * expired, because they do not sort among the text.
 */
const sqlite: SqlDialect = {
  kind: "sqlite",
  columnTypes: { key: "text", text: "text", number: "integer", boolean: "integer", date: "text" },
  returnsRows: true,
  separatesIndexes: true,
  storesNul: true,
  toDateParameter: (date) => date.toISOString(),
  toBooleanParameter: (value) => (value ? 1 : 0),
  selectDate: (column) => column,
  isBefore: (column, date) => sql<boolean>`(${column} glob '????-*' and ${column} < ${date})`,
}

/** `timestamptz` holds an instant; parameters are ISO text in UTC, so no driver converts them by way of a local time. */
const postgres: SqlDialect = {
  kind: "postgres",
  columnTypes: { key: "text", text: "text", number: "bigint", boolean: "boolean", date: "timestamptz(3)" },
  returnsRows: true,
  separatesIndexes: true,
  storesNul: false,
  toDateParameter: (date) => date.toISOString(),
  toBooleanParameter: (value) => value,
  selectDate: (column) => column,
  isBefore: (column, date) => sql<boolean>`${column} < ${date}`,
}

/**
 * `datetime` knows no zone and drivers read it in theirs, so dates travel as text in both directions, in UTC. Keys have
 * a binary collation: the default ones take `A` for `a`.
 */
const mysql: SqlDialect = {
  kind: "mysql",
  columnTypes: {
    key: "varchar(255) character set utf8mb4 collate utf8mb4_bin",
    text: "text character set utf8mb4 collate utf8mb4_bin",
    number: "bigint",
    boolean: "boolean",
    date: "datetime(3)",
  },
  returnsRows: false,
  separatesIndexes: false,
  storesNul: true,
  toDateParameter: (date) => date.toISOString().slice(0, 23).replace("T", " "),
  toBooleanParameter: (value) => value,
  selectDate: (column) => sql`date_format(${column}, '%Y-%m-%d %H:%i:%s.%f')`,
  isBefore: (column, date) => sql<boolean>`${column} < ${date}`,
}

const dialects: Readonly<Record<DatabaseKind, SqlDialect>> = { sqlite, postgres, mysql }

export function getDialect(kind: DatabaseKind): SqlDialect {
  return dialects[kind]
}

/**
 * The dialect that a host names, or else the one that its instance speaks.
 * @throws TypeError when nothing is named and the instance's dialect is not one of ours or derived from them.
 */
export function resolveDialect(db: AnyKysely, named: DatabaseKind | undefined): SqlDialect {
  const kind = named ?? detectKind(db.getExecutor().adapter)
  if (kind === undefined) throw new TypeError('The database is not recognised: set "database" to its kind')
  return dialects[kind]
}

function detectKind(adapter: DialectAdapter): DatabaseKind | undefined {
  if (adapter instanceof SqliteAdapter) return "sqlite"
  if (adapter instanceof PostgresAdapter) return "postgres"
  return adapter instanceof MysqlAdapter ? "mysql" : undefined
}
