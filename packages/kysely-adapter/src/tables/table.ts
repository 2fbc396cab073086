import type { Presence } from "@latchkey/adapter-kit"

/**
 * What a column stores. `key`: text that identifies rows, short enough for an index (255 characters in MySQL).
 * `longKey`: a longer one (2000 bytes in MySQL). `integerKey`: an integer, which records contain as text. `uuidKey`: a
 * UUID. `text`: text without a limit. `number`: an integer. `date`: an instant, with milliseconds.
 */
export type ColumnKind = "key" | "longKey" | "integerKey" | "uuidKey" | "text" | "number" | "boolean" | "date"

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
  /** The columns that the host declared and creates itself. */
  readonly extra: readonly Column[]
  /** The columns that a later migration added. */
  readonly later: readonly Column[]
  /** The fields that identify one row; unique in the database. */
  readonly key: readonly string[]
  /** The column of a row id that no record contains; filled with a random UUID. */
  readonly rowId: string | undefined
  /** The table that links the rows to their users, if there is one. */
  readonly link: Link | undefined
  /** Whether every column except the id is nullable. */
  readonly isNullable: boolean
  /**
   * Whether a table of the host may have this name: it belongs to a feature that is off by default, and the host gave it no
   * option.
   */
  readonly isUnclaimed: boolean
}

/** A table that links the rows of another table to their users. */
export interface Link {
  readonly name: string
  /** The column that refers to the row's id. */
  readonly owned: string
  /** The column that refers to the user. */
  readonly owner: string
}

/** @throws TypeError when the table has no column for the field */
export function getColumn(table: Table, field: string): Column {
  const column = table.columns.find((candidate) => candidate.field === field)
  if (column === undefined) throw new TypeError(`${table.name} has no column for ${field}`)
  return column
}

/** The columns of the table as the first migration creates it. */
export function firstColumns(table: Table): readonly Column[] {
  return table.columns.filter((column) => !table.extra.includes(column) && !table.later.includes(column))
}
