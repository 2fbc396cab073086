/**
 * What a column holds. `key` is text that is looked up by, and so must fit an index; `text` has no limit of its own;
 * `number` is a whole number; `date` an instant, exact to the millisecond.
 */
export type ColumnKind = "key" | "text" | "number" | "boolean" | "date"

/**
 * `required`: never null. `nullable`: null is a value, and comes back as null. `optional`: null means that the field
 * is absent, and it comes back absent.
 */
export type Presence = "required" | "nullable" | "optional"

export interface Column {
  /** The field of the record, as the contract names it. */
  readonly field: string
  /** The column in the database. */
  readonly name: string
  readonly kind: ColumnKind
  readonly presence: Presence
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns that the host declared; the host creates them. */
  readonly extra: readonly Column[]
  /** The fields that together find one row; unique in the database. */
  readonly key: readonly string[]
}

/** @throws TypeError when the table has no column for that field. */
export function getColumn(table: Table, field: string): Column {
  const column = table.columns.find((candidate) => candidate.field === field)
  if (column === undefined) throw new TypeError(`${table.name} has no column for ${field}`)
  return column
}
