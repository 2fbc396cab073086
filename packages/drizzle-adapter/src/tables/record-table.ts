import { type Column, getTableColumns, is, Table } from "drizzle-orm"
import type { FieldKind, Model, Presence, TableName } from "./models.js"

/** A column of a table, as a field of a record. */
export interface FieldColumn {
  readonly field: string
  readonly column: Column
  /** `own`: a column of the host, which holds whatever Drizzle makes of it. */
  readonly kind: FieldKind | "own"
  readonly presence: Presence
}

/** A table of Drizzle's, and the records that it holds. */
export interface RecordTable {
  readonly table: Table
  readonly columns: readonly FieldColumn[]
  readonly key: readonly string[]
}

/** @throws TypeError that names the option when it is no table, or a column is missing or of the wrong kind */
export function recordTable(name: TableName, table: unknown, model: Model): RecordTable {
  if (!is(table, Table)) throw new TypeError(`${name} must be a table of Drizzle's`)
  const columns = new Map<string, Column>(Object.entries(getTableColumns(table)))
  const contract = Object.entries(model.fields).flatMap(([field, [kind, presence]]) => {
    const column = columns.get(field)
    columns.delete(field)
    if (column !== undefined) return [assertKind(name, { field, column, kind, presence })]
    if (model.later?.includes(field)) return []
    throw new TypeError(`${name}.${field}: the table has no such column`)
  })
  const own = [...columns].map(([field, column]): FieldColumn => ({ field, column, kind: "own", presence: "nullable" }))
  return { table, columns: [...contract, ...own], key: model.key }
}

/** @throws TypeError when the table has no column for that field */
export function getColumn({ columns }: RecordTable, field: string): FieldColumn {
  const column = columns.find((candidate) => candidate.field === field)
  if (column === undefined) throw new TypeError(`There is no column for ${field}`)
  return column
}

/** What Drizzle may make of a column that holds a kind of field. */
const fitting: Readonly<Record<FieldKind, readonly string[]>> = {
  key: ["string", "custom", "number", "bigint"],
  text: ["string", "custom"],
  number: ["number", "bigint", "custom"],
  boolean: ["boolean", "custom"],
  date: ["date", "custom"],
}

function assertKind(name: TableName, column: FieldColumn): FieldColumn {
  const { field, kind, column: own } = column
  if (kind === "own" || fitting[kind].includes(own.dataType)) return column
  const mode = kind === "date" ? `, in Drizzle's mode "date" or "timestamp_ms"` : ""
  throw new TypeError(`${name}.${field} must be a column for a ${kind}${mode}; it is one for ${own.dataType}`)
}
