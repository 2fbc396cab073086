import {
  type BatchLimits,
  type Catalog,
  inProcessBatches,
  type RecordField,
  serverBatches,
} from "@latchkey/adapter-kit"
import { type Column, type Param, type SQL, sql } from "drizzle-orm"

/** What differs between the databases that Drizzle supports. */
export interface Dialect {
  readonly kind: Catalog["kind"]
  /** Whether statements that write can return the rows they wrote. */
  readonly returnsRows: boolean
  /** What another transaction wrote while one waited for a lock must be visible. MySQL shows it at every level. */
  readonly transactionConfig?: { readonly isolationLevel: "read committed" }
  /** How many rows are read and deleted at once when expired rows are removed. */
  readonly removalBatches: BatchLimits
  /** Whether a connection may ignore foreign keys, which delete a user's records. */
  readonly mayIgnoreForeignKeys?: true
  /** Whether a column can store a text unchanged. */
  holds(text: string, column: Column): boolean
  /** Selects a column in a form that does not depend on the driver or on a time zone. */
  select(field: RecordField<Column>): Column | SQL
  /** Compares a column with a text exactly, regardless of its collation, using the column's index. */
  matches(column: Column, text: string): SQL
  /** Compares the texts (or values of a type of the host) of two columns exactly, regardless of their collations, using the index of either. */
  isSameText(column: Column, other: Column): SQL
}

export const sqliteDialect: Dialect = {
  kind: "sqlite",
  returnsRows: true,
  mayIgnoreForeignKeys: true,
  removalBatches: inProcessBatches,
  holds: () => true,
  select: ({ column }) => column,
  // SQLite uses the collation of the right-hand side.
  matches: (column, text) => sql`${column} = ${sql.param(text, column)} collate binary`,
  // The first comparison uses an index of another collation, too.
  isSameText: (column, other) => sql`${column} = ${other} and ${column} = ${other} collate binary`,
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const postgresDialect: Dialect = {
  kind: "postgres",
  returnsRows: true,
  transactionConfig: { isolationLevel: "read committed" },
  removalBatches: serverBatches,
  holds: (text, column) => !text.includes("\0") && (!isUuid(column) || uuid.test(text)),
  select: ({ column, kind }) => (kind === "date" && column.dataType === "date" ? toMilliseconds(column) : column),
  matches: (column, text) => matchesInPostgres(column, sql.param(text, column)),
  isSameText: (column, other) => matchesInPostgres(column, sql`${other}`),
}

/** The first comparison uses the index; the second rejects what `citext` or a lenient collation treats as equal. */
function matchesInPostgres(column: Column, text: Param | SQL): SQL {
  const found = sql`${column} = ${text}`
  return isUuid(column) ? found : sql`${found} and ${column}::text collate "C" = ${text}::text`
}

function isUuid(column: Column): boolean {
  return column.getSQLType() === "uuid"
}

/**
 * The instant of a `timestamptz`, or of a `timestamp` that stores UTC. As text it would depend on the session's time zone
 * and date style, and Drizzle parses only one of those.
 */
function toMilliseconds(column: Column): SQL {
  return sql`round(extract(epoch from date_trunc('milliseconds', ${column})) * 1000)::bigint`.mapWith(
    (milliseconds: unknown) => new Date(Number(milliseconds)),
  )
}

const limited = /^var(char|binary)\((\d+)\)/

export const mysqlDialect: Dialect = {
  kind: "mysql",
  returnsRows: false,
  removalBatches: serverBatches,
  holds: fits,
  select: ({ column }) => (column.getSQLType().startsWith("varbinary") ? toText(column).mapWith(column) : column),
  matches: (column, text) => matchesInMysql(column, sql.param(text, column)),
  isSameText: matchesInMysql,
}

/** The first comparison uses the index; the second rejects what the default collations treat as equal. */
function matchesInMysql(column: Column, text: Param | Column): SQL {
  return sql`${column} = ${text} and ${toBytes(sql`${column}`)} = ${toBytes(sql`${text}`)}`
}

/** Without strict mode MySQL truncates long text, which would make different keys equal. */
function fits(text: string, column: Column): boolean {
  const [, unit, limit] = limited.exec(column.getSQLType()) ?? []
  if (unit === undefined) return true
  const length = unit === "binary" ? new TextEncoder().encode(text).length : [...text].length
  return length <= Number(limit)
}

function toText(column: Column): SQL {
  return sql`convert(${column} using utf8mb4)`
}

function toBytes(text: SQL): SQL {
  return sql`cast(convert(${text} using utf8mb4) as binary)`
}
