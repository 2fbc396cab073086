import type { Key } from "@latchkey/adapter-kit"
import { type AliasedExpression, type Expression, type RawBuilder, sql } from "kysely"
import type { Column, ColumnKind, Table } from "../tables/table.js"
import { fromColumn, toKeyParameter } from "./column-value.js"
import type { ExactMatch, SqlDialect } from "./dialect.js"
import type { Row, SqlParameter } from "./runner.js"

/** The columns that a statement selects from a table, and the conversion of its rows to records. */
export interface Selection<T> {
  readonly columns: readonly AliasedExpression<unknown, string>[]
  read(row: Row): T
}

/** The place of a selection in a statement on several tables. */
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
 * Aliases columns by position (`c0`, `c1`, ...), so that two tables fit into one row and a plugin that renames result
 * columns (`access_token` to `accessToken`) finds nothing to rename.
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

function select(column: Column, dialect: SqlDialect, place: Place | undefined): Expression<unknown> {
  const reference = sql.ref(place === undefined ? column.name : `${place.alias}.${column.name}`)
  return dialect.select(reference, column.kind)
}

function readRecord(row: Row, selected: readonly Selected[]): Record<string, unknown> {
  const record: Record<string, unknown> = {}
  for (const { column, position, alias } of selected) {
    const value = fromColumn(isArray(row) ? row[position] : row[alias], column)
    if (value !== null) record[column.field] = value
    else if (column.presence !== "optional") record[column.field] = isRequiredDate(column) ? new Date(0) : null
  }
  return record
}

function isArray(row: Row): row is readonly unknown[] {
  return Array.isArray(row)
}

/** A required date that is null in the database is read as expired. */
function isRequiredDate({ kind, presence }: Column): boolean {
  return kind === "date" && presence === "required"
}

/** Marks a parameter while a statement is compiled. */
export const placeholder = ""

const plainMatch: ExactMatch = {
  parameters: 1,
  compare: (column, value) => sql<boolean>`${column} = ${value}`,
}

/** The condition that a row has a key, with one comparison per column. */
export function matchesKey(columns: readonly Column[], dialect: SqlDialect, alias?: string): RawBuilder<boolean> {
  const comparisons = columns.map(({ name, kind }) => {
    const reference = sql.ref(alias === undefined ? name : `${alias}.${name}`)
    return matchOf(kind, dialect).compare(reference, placeholder)
  })
  return sql<boolean>`${sql.join(comparisons, sql` and `)}`
}

/**
 * The parameters of `matchesKey`, in the order of its placeholders; null if no row can have the key.
 * @throws TypeError with the field's name when a value is not text
 */
export function keyParameters(columns: readonly Column[], key: Key, dialect: SqlDialect): SqlParameter[] | null {
  const parameters: SqlParameter[] = []
  for (const column of columns) {
    const parameter = toKeyParameter(key[column.field], column, dialect)
    if (parameter === undefined) return null
    for (let copy = 0; copy < matchOf(column.kind, dialect).parameters; copy += 1) parameters.push(parameter)
  }
  return parameters
}

function matchOf(kind: ColumnKind, { textMatch }: SqlDialect): ExactMatch {
  return kind === "key" || kind === "longKey" || kind === "text" ? textMatch : plainMatch
}
