/**
 * What a column holds. `key` is text that is looked up by, and so must fit an index (255 characters in MySQL);
 * `longKey` is longer (2000 bytes in MySQL); `integerKey` is a whole number that is text in records, `uuidKey` a UUID.
 * `text` has no limit of its own; `number` is a whole number; `date` an instant, exact to the millisecond.
 */
export type ColumnKind = "key" | "longKey" | "integerKey" | "uuidKey" | "text" | "number" | "boolean" | "date"

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
  /** Columns that the table had not when it was first made. */
  readonly later: readonly Column[]
  /** The fields that together find one row; unique in the database. */
  readonly key: readonly string[]
  /** The column of an id of its own that each row has and no record shows; filled with a random UUID. */
  readonly rowId: string | undefined
  /** Where another table says to whom the rows belong. */
  readonly link: Link | undefined
  /** Whether every column may be null. */
  readonly isLoose: boolean
}

/** A table that joins the rows of another one with their users. */
export interface Link {
  readonly name: string
  /** The column that refers to the row's own id. */
  readonly owned: string
  /** The column that refers to the user. */
  readonly owner: string
}

/** @throws TypeError when the table has no column for that field. */
export function getColumn(table: Table, field: string): Column {
  const column = table.columns.find((candidate) => candidate.field === field)
  if (column === undefined) throw new TypeError(`${table.name} has no column for ${field}`)
  return column
}

/** The columns that a table had when it was first made. */
export function firstColumns(table: Table): readonly Column[] {
  return table.columns.filter((column) => !table.extra.includes(column) && !table.later.includes(column))
}
