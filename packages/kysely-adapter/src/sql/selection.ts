import { type AliasedExpression, type Expression, sql } from "kysely"
import type { Column, Table } from "../tables/column.js"
import { fromColumn } from "./column-value.js"
import type { SqlDialect } from "./dialect.js"
import type { Row } from "./runner.js"

/** The columns of a table as a statement selects them, and the way back from a row to a record. */
export interface Selection<T> {
  readonly columns: readonly AliasedExpression<unknown, string>[]
  read(row: Row): T
}

/** Where a selection stands in a statement over several tables. */
export interface Place {
  /** The table's alias. */
  readonly alias: string
  /** How many columns are selected before. */
  readonly offset: number
}

interface Selected {
  readonly column: Column
  readonly position: number
  readonly alias: string
}

/**
 * Columns are aliased by their position (`c0`, `c1`, ...), so that two tables fit into one row and a host's plugin that
 * renames result columns (`access_token` to `accessToken`) finds nothing to rename.
 */
export function selection<T>(table: Table, dialect: SqlDialect, place?: Place): Selection<T> {
  const offset = place?.offset ?? 0
  const selected = table.columns.map((column, index): Selected => {
    return { column, position: offset + index, alias: `c${offset + index}` }
  })
  return {
    columns: selected.map(({ column, alias }) => sql`${select(column, dialect, place)}`.as(alias)),
    read: (row) => readRecord(row, selected) as T, // as: a table's columns are the fields of its record
  }
}

function readRecord(row: Row, selected: readonly Selected[]): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const { column, position, alias } of selected) {
    const value = fromColumn(isArray(row) ? row[position] : row[alias], column)
    if (value !== null) record[column.field] = value
    else if (column.presence !== "optional") record[column.field] = isInstant(column) ? new Date(0) : null
  }
  return record
}

/** A date that is missing where there has to be one: whatever it was to end has ended. */
function isInstant({ kind, presence }: Column): boolean {
  return kind === "date" && presence === "required"
}

function isArray(row: Row): row is readonly unknown[] {
  return Array.isArray(row)
}

function select(column: Column, dialect: SqlDialect, place: Place | undefined): Expression<unknown> {
  const reference = sql.ref(place === undefined ? column.name : `${place.alias}.${column.name}`)
  return dialect.select(reference, column.kind)
}
