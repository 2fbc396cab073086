import type { Column, ColumnKind, Table } from "./column.js"
import { type DefaultTable, defaultTables, type Model } from "./default-tables.js"

/** How one table of the host differs from the default. */
export interface TableOptions {
  /** The table's name; may carry a schema, as in `auth.users`. */
  readonly name?: string
  /** Column names by field, where they differ from the field's own name. */
  readonly columns?: Readonly<Record<string, string>>
  /**
   * Columns that the host added to the table, by field: they are written when a record carries the field, and read
   * with every record. Fields that are neither here nor in the contract are never written.
   */
  readonly extra?: Readonly<Record<string, ColumnKind>>
}

/** How the host's tables differ from the defaults, by the record they hold. */
export type SchemaOptions = { readonly [M in Model]?: TableOptions }

export type Schema = { readonly [M in Model]: Table }

/** @throws TypeError when an option names a field that the table does not have, or two fields share a column. */
export function resolveSchema(options: SchemaOptions): Schema {
  return {
    user: resolveTable("user", options.user),
    account: resolveTable("account", options.account),
    session: resolveTable("session", options.session),
    verificationToken: resolveTable("verificationToken", options.verificationToken),
    authenticator: resolveTable("authenticator", options.authenticator),
  }
}

function resolveTable(model: Model, options: TableOptions = {}): Table {
  const table = defaultTables[model]
  const names = new Map(Object.entries(options.columns ?? {}))
  const own = ownColumns(table, names)
  const extra = extraColumns(options.extra ?? {}, names)
  const columns = [...own, ...extra]
  assertSensible(model, columns, names)
  return { name: options.name ?? table.name, key: table.key, columns, extra }
}

function ownColumns(table: DefaultTable, names: ReadonlyMap<string, string>): Column[] {
  return Object.entries(table.columns).map(([field, [kind, presence]]) => ({
    field,
    name: names.get(field) ?? field,
    kind,
    presence,
  }))
}

function extraColumns(extra: Readonly<Record<string, ColumnKind>>, names: ReadonlyMap<string, string>): Column[] {
  return Object.entries(extra).map(([field, kind]) => ({
    field,
    name: names.get(field) ?? field,
    kind,
    presence: "nullable",
  }))
}

function assertSensible(model: Model, columns: readonly Column[], names: ReadonlyMap<string, string>): void {
  const fields = new Set(columns.map((column) => column.field))
  for (const field of names.keys()) {
    if (!fields.has(field)) throw new TypeError(`${model}.columns.${field}: there is no such field`)
  }
  if (fields.size !== columns.length) throw new TypeError(`${model}.extra repeats a field that the table has already`)
  if (new Set(columns.map((column) => column.name)).size !== columns.length) {
    throw new TypeError(`${model}.columns: two fields have the same column`)
  }
}
