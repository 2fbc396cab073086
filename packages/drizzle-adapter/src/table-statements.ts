import type { BatchLimits, Key, Lifetime } from "@latchkey/adapter-kit"
import { and, type Column, eq, gt, inArray, lt, lte, type SQL, sql, type Table } from "drizzle-orm"
import type { Dialect } from "./dialect.js"
import type { RecordTable } from "./record-tables.js"

/** A row of a result, by the names under which its values were selected. */
export type Row = Readonly<Record<string, unknown>>

/** The columns and expressions to select, by name. */
export type Selected = Readonly<Record<string, Column | SQL>>

/**
 * The part of Drizzle's query builders that the adapter uses. All databases share it, except for what a database cannot
 * do; Drizzle's own types require tables that are known at compile time.
 */
export interface QueryBuilders {
  select(fields: Selected): { from(table: Table | SQL): SelectQuery }
  insert(table: Table): InsertQuery
  update(table: Table): { set(values: Row): { where(condition: SQL): WriteQuery } }
  delete(table: Table): { where(condition: SQL): WriteQuery }
  transaction<T>(work: (transaction: QueryBuilders) => Promise<T>, config?: object): Promise<T>
}

interface SelectQuery extends PromiseLike<Row[]> {
  innerJoin(table: Table, condition: SQL): SelectQuery
  /** Undefined: all rows. */
  where(condition: SQL | undefined): SelectQuery
  orderBy(column: Column): SelectQuery
  limit(rows: number): SelectQuery
  offset(rows: number): SelectQuery
  /** PostgreSQL and MySQL only. */
  for(strength: "update"): SelectQuery
  /** False bypasses the host's cache, which could keep an ended session alive. */
  $withCache(isCached: false): SelectQuery
}

interface InsertQuery {
  values(values: Row): WriteQuery & { onConflictDoNothing(): WriteQuery }
  /** MySQL only. */
  ignore(): InsertQuery
}

/** If the database cannot return the rows it wrote, this resolves to the driver's own result. */
interface WriteQuery extends PromiseLike<unknown> {
  /** PostgreSQL and SQLite only. */
  returning(fields: Selected): PromiseLike<Row[]>
}

/** The parts of statements on one table. Names come from the table's columns, never from a record. */
export class TableStatements<T> {
  readonly record: RecordTable
  /** Every column, by field. */
  readonly selected: Selected
  readonly #dialect: Dialect

  constructor(record: RecordTable, dialect: Dialect) {
    this.record = record
    this.selected = Object.fromEntries(
      Array.from(record.fields.all(), (field) => [field.field, dialect.select(field)] as const),
    )
    this.#dialect = dialect
  }

  /** The condition that a row has the key. Null if no row can have it. */
  matching(key: Key): SQL | null {
    const values = this.record.fields.toKeyValues(key)
    if (values === null) return null
    return and(...Object.entries(values).map(([field, value]) => this.#equals(this.column(field), value))) ?? null
  }

  /** The condition that a row of another table has the row as its owner. */
  owns(owned: TableStatements<unknown>): SQL {
    const [id, userId] = [this.column("id"), owned.column("userId")]
    const isNumber = id.dataType === "number" || id.dataType === "bigint"
    return isNumber ? eq(id, userId) : this.#dialect.isSameText(id, userId)
  }

  /** As `matching`, and the row's `expires` is later than an instant, or not. */
  matchingWithin(key: Key, lifetime: Lifetime): SQL | null {
    const condition = this.matching(key)
    const expires = this.column("expires")
    const isInTime = "after" in lifetime ? gt(expires, lifetime.after) : lte(expires, lifetime.until)
    return condition && (and(condition, isInTime) ?? null)
  }

  hasOneOf(field: string, values: readonly string[]): SQL {
    return inArray(this.column(field), [...values])
  }

  isBefore(field: string, instant: Date): SQL {
    return lt(this.column(field), instant)
  }

  /** The column by whose index the whole table can be read in parts. */
  get position(): Column {
    return this.column(this.record.fields.key[0] ?? "")
  }

  get removalBatches(): BatchLimits {
    return this.#dialect.removalBatches
  }

  /** The larger of a number and the stored one. */
  larger(field: string, value: number): SQL {
    const column = this.column(field)
    const param = sql.param(this.record.fields.toValues({ [field]: value })[field], column)
    return sql`case when ${column} < ${param} then ${param} else ${column} end`
  }

  column(field: string): Column {
    return this.record.fields.get(field).column
  }

  read(row: Row): T {
    return this.record.fields.read(row)
  }

  #equals(column: Column, value: unknown): SQL {
    const isText = typeof value === "string" && typeof column.mapToDriverValue(value) === "string"
    return isText ? this.#dialect.matches(column, value) : eq(column, value)
  }
}
