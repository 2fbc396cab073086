import { readField } from "./field-values.js"
import type { FieldKind, Presence, RecordModel } from "./record-models.js"
import type { Key } from "./record-store.js"

/** A field of a record and the host's column for it, in the form that the object mapper describes columns. */
export interface RecordField<Column> {
  readonly field: string
  /** `own`: a column that the host added. It is stored as it is. */
  readonly kind: FieldKind | "own"
  readonly presence: Presence
  readonly column: Column
}

/**
 * Pairs the contract's fields with a host's columns. Columns beyond the contract become `own` fields.
 * @param missing Creates the error for a field without a column
 */
export function matchFields<Column>(
  model: RecordModel,
  columns: Iterable<readonly [field: string, column: Column]>,
  missing: (field: string) => Error,
): readonly RecordField<Column>[] {
  const rest = new Map(columns)
  const contract = Object.entries(model.fields).flatMap(([field, [kind, presence]]): RecordField<Column>[] => {
    const column = rest.get(field)
    rest.delete(field)
    if (column !== undefined) return [{ field, column, kind, presence }]
    if (model.later?.includes(field)) return []
    throw missing(field)
  })
  const own = [...rest].map(
    ([field, column]): RecordField<Column> => ({ field, column, kind: "own", presence: "nullable" }),
  )
  return [...contract, ...own]
}

/** How an object mapper's columns take values. */
export interface FieldCodec<Column> {
  /** Converts a value other than null. Undefined if the column cannot store it, or the mapper would not treat it as a value. */
  write(value: unknown, field: RecordField<Column>): unknown
  /** What the column stores, for errors: "a date that its column can hold". */
  describe(field: RecordField<Column>): string
}

/** Converts records of one table to an object mapper's rows and back. */
export class RecordFields<Column> {
  readonly key: readonly string[]
  readonly #fields: ReadonlyMap<string, RecordField<Column>>
  readonly #codec: FieldCodec<Column>

  constructor(key: readonly string[], fields: readonly RecordField<Column>[], codec: FieldCodec<Column>) {
    this.key = key
    this.#fields = new Map(fields.map((field) => [field.field, field]))
    this.#codec = codec
  }

  all(): Iterable<RecordField<Column>> {
    return this.#fields.values()
  }

  has(field: string): boolean {
    return this.#fields.has(field)
  }

  /** @throws TypeError when the table has no column for the field */
  get(field: string): RecordField<Column> {
    const found = this.#fields.get(field)
    if (found === undefined) throw new TypeError(`There is no column for ${field}`)
    return found
  }

  /**
   * The values to write. Fields without a column are left out, so a provider's extra keys never reach a statement.
   * @throws TypeError with the field's name (never the value) when its column cannot store the value
   */
  toValues(record: object): Readonly<Record<string, unknown>> {
    const values: Record<string, unknown> = {}
    for (const [name, given] of Object.entries(record)) {
      const field = this.#fields.get(name)
      if (field === undefined || given === undefined) continue
      const value = this.#write(given, field)
      if (value === undefined) throw new TypeError(`${name} must be ${this.#codec.describe(field)}`)
      values[name] = value
    }
    return values
  }

  /**
   * The values of a key. Null if no row can have it: the query would fail, which a visitor could provoke with a cookie,
   * or find something similar.
   */
  toKeyValues(key: Key): Readonly<Record<string, unknown>> | null {
    const values: Record<string, unknown> = {}
    for (const [name, wanted] of Object.entries(key)) {
      const field = this.get(name)
      const isKey = typeof wanted === "string" || (typeof wanted === "number" && field.kind === "number")
      const value = isKey ? this.#write(wanted, field) : undefined
      if (value === undefined) return null
      values[name] = value
    }
    return values
  }

  /** @throws TypeError with the field's name when the database contains a value of another kind */
  read<T>(row: Readonly<Record<string, unknown>>): T {
    const record: Record<string, unknown> = {}
    for (const { field, kind, presence } of this.#fields.values()) {
      const stored = row[field] ?? null
      const value = stored === null || kind === "own" ? stored : readField(stored, kind, field)
      if (value !== null || presence !== "optional") record[field] = value
    }
    return record as T // as: the columns of a table are the fields of its record
  }

  #write(value: unknown, field: RecordField<Column>): unknown {
    return value === null ? null : this.#codec.write(value, field)
  }
}
