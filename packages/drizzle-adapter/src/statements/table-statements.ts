import { and, eq, lt, type SQL, sql } from "drizzle-orm"
import { fromColumnValue, toColumnValue } from "../tables/field-value.js"
import { type FieldColumn, getColumn, type RecordTable } from "../tables/record-table.js"
import type { Dialect } from "./dialect.js"
import type { Row, Selected } from "./query-builders.js"

/** Fields of a record that together find rows. */
export type Key = Readonly<Record<string, unknown>>

/** The parts of statements over one table. Names come from the table's columns alone, never from a record. */
export class TableStatements<T> {
  readonly record: RecordTable
  /** Every column, by its field. */
  readonly selected: Selected
  readonly #dialect: Dialect

  constructor(record: RecordTable, dialect: Dialect) {
    this.record = record
    this.selected = Object.fromEntries(record.columns.map((column) => [column.field, dialect.select(column)]))
    this.#dialect = dialect
  }

  /**
   * That a row has the key. Null where no row can have it: the database would answer with an error, which a visitor
   * could provoke with a cookie, or with something like it.
   */
  matching(key: Key): SQL | null {
    const conditions: SQL[] = []
    for (const [field, wanted] of Object.entries(key)) {
      const column = getColumn(this.record, field)
      const value = typeof wanted === "string" ? this.#toValue(wanted, column) : undefined
      if (value === undefined) return null
      conditions.push(this.#isSame(column, value))
    }
    return and(...conditions) ?? null
  }

  isBefore(field: string, instant: Date): SQL {
    return lt(getColumn(this.record, field).column, instant)
  }

  /**
   * The fields for which there are columns; what a record has besides goes nowhere.
   * @throws TypeError that names the field, never the value, when its column cannot hold it
   */
  valuesOf(record: object): Readonly<Record<string, unknown>> {
    const fields = new Map<string, unknown>(Object.entries(record))
    const present = this.record.columns.filter(({ field }) => fields.get(field) !== undefined)
    return Object.fromEntries(
      present.map((column) => {
        const value = this.#toValue(fields.get(column.field), column)
        if (value === undefined)
          throw new TypeError(`${column.field} must be a ${column.kind} that its column can hold`)
        return [column.field, value]
      }),
    )
  }

  /** A number, unless a larger one is there already. */
  larger(field: string, value: number): SQL {
    const { column } = getColumn(this.record, field)
    const param = sql.param(this.valuesOf({ [field]: value })[field], column)
    return sql`case when ${column} < ${param} then ${param} else ${column} end`
  }

  /** The fields of the table's key that a record has. */
  keyOf(record: object): Key {
    const isKey = ([field, value]: [string, unknown]) => this.record.key.includes(field) && value !== undefined
    return Object.fromEntries(Object.entries(record).filter(isKey))
  }

  read(row: Row): T {
    const record: Record<string, unknown> = {}
    for (const column of this.record.columns) {
      const value = fromColumnValue(row[column.field], column)
      if (value !== null || column.presence !== "optional") record[column.field] = value
    }
    return record as T // as: the columns of a table are the fields of its record
  }

  #toValue(value: unknown, column: FieldColumn): unknown {
    const written = toColumnValue(value, column)
    return typeof written === "string" && !this.#dialect.holds(written, column.column) ? undefined : written
  }

  #isSame({ column }: FieldColumn, value: unknown): SQL {
    const isText = typeof value === "string" && typeof column.mapToDriverValue(value) === "string"
    return isText ? this.#dialect.matches(column, value) : eq(column, value)
  }
}
