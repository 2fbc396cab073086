import { assertKnownOptions } from "./assert-options.js"
import type { Column, ColumnKind, Link, Table } from "./column.js"
import { type DefaultTable, defaultTables, type Model } from "./default-tables.js"
import { linkedPrefix, linkedTables } from "./linked-tables.js"
import type { LinkOptions, RecordModel, SchemaOptions, TableOptions } from "./schema-options.js"

export type Schema = { readonly [M in RecordModel]: Table } & {
  readonly spent: Table | null
  readonly provenEmail: Table | null
  /** Before every name that the host does not choose. */
  readonly prefix: string
}

const idKinds = { text: "key", integer: "integerKey", uuid: "uuidKey" } as const

/** Where ids of users stand. */
const idFields: Readonly<Partial<Record<Model, string>>> = {
  user: "id",
  account: "userId",
  session: "userId",
  authenticator: "userId",
  provenEmail: "userId",
}

/** @throws TypeError when an option names a field that the table does not have, or two fields share a column. */
export function resolveSchema(options: SchemaOptions): Schema {
  assertKnownOptions(options)
  const { spent = {}, provenEmail = {}, userAccount = {}, userSession = {} } = options
  const resolve = (model: Model, own?: TableOptions, link?: LinkOptions) => resolveTable(model, own, { options, link })
  return {
    user: resolve("user", options.user),
    account: resolve("account", options.account, userAccount),
    session: resolve("session", options.session, userSession),
    verificationToken: resolve("verificationToken", options.verificationToken),
    authenticator: resolve("authenticator", options.authenticator),
    spent: spent === false ? null : resolve("spent", spent),
    provenEmail: provenEmail === false ? null : resolve("provenEmail", provenEmail),
    prefix: resolvePrefix(options),
  }
}

function resolvePrefix({ layout, prefix }: SchemaOptions): string {
  return prefix ?? (layout === "linked" ? linkedPrefix : "")
}

interface Surroundings {
  readonly options: SchemaOptions
  readonly link: LinkOptions | undefined
}

function resolveTable(model: Model, own: TableOptions = {}, { options, link }: Surroundings): Table {
  const isLinked = options.layout === "linked"
  const table = (isLinked ? linkedTables : defaultTables)[model]
  const prefix = resolvePrefix(options)
  const names = new Map(Object.entries({ ...table.names, ...own.columns }))
  const columns = ownColumns(table, names).map((column) =>
    column.field === idFields[model] ? { ...column, kind: idKinds[options.ids ?? "text"] } : column,
  )
  const extra = extraColumns(own.extra ?? {}, names)
  assertSensible(model, [...columns, ...extra], names)
  return {
    name: own.name ?? `${prefix}${table.name}`,
    key: table.key,
    columns: [...columns, ...extra],
    extra,
    later: columns.filter((column) => table.later?.includes(column.field)),
    rowId: own.rowId ?? table.rowId,
    link: table.link && resolveLink(table.link, link, prefix),
    isLoose: isLinked,
  }
}

function resolveLink(link: Link, own: LinkOptions = {}, prefix: string): Link {
  return { ...link, name: `${prefix}${link.name}`, ...own }
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
