import {
  type Compilable,
  type CreateTableBuilder,
  type ForeignKeyConstraintBuilder,
  type RawBuilder,
  sql,
} from "kysely"
import { type Column, firstColumns, getColumn, type Table } from "../tables/column.js"
import { unlessThere } from "./ask-first.js"
import type { MigrationTarget } from "./schema-change.js"

/** Beside its key: what of a table is unique, and whether a row belongs to a user and goes with that user. */
export interface Rules {
  readonly unique: readonly (readonly string[])[]
  readonly isOwned: boolean
}

type Builder = CreateTableBuilder<string, string>

/** A table that exists is kept as it is, and gets the unique indexes it lacks. */
export function createTable(target: MigrationTarget, table: Table, rules: Rules): readonly Compilable[] {
  return [createBareTable(target, table, rules), ...createIndexes(target, table, rules)]
}

function createBareTable(target: MigrationTarget, table: Table, { unique, isOwned }: Rules): Compilable {
  const { user } = target.schema
  let builder: Builder = target.db.schema.createTable(table.name).ifNotExists()
  if (table.rowId !== undefined && table !== user) builder = addRowId(builder, table.rowId, target)
  for (const column of firstColumns(table)) builder = addColumn(builder, { column, table }, target)
  if (table === user && getColumn(user, "id").kind === "key")
    builder = builder.addPrimaryKeyConstraint(indexName(table.name, [idName(user)], "pkey"), [idName(user)])
  if (isOwned) builder = refer(builder, { from: [table.name, nameOf(table, "userId")], to: [user.name, idName(user)] })
  if (target.dialect.repeating === "skip") return builder
  return unique.reduce((all, fields) => {
    const columns = fields.map((field) => nameOf(table, field))
    return all.addUniqueConstraint(indexName(table.name, columns, "key"), columns)
  }, builder)
}

function addRowId(builder: Builder, name: string, { dialect }: MigrationTarget): Builder {
  return builder.addColumn(name, sql.raw(dialect.columnTypes.key), (definition) => definition.notNull().primaryKey())
}

interface Placed {
  readonly column: Column
  readonly table: Table
}

function addColumn(builder: Builder, { column, table }: Placed, target: MigrationTarget): Builder {
  const { name, kind, presence } = column
  if (table === target.schema.user && column.field === "id" && (kind === "integerKey" || kind === "uuidKey"))
    return builder.addColumn(name, sql.raw(target.dialect.madeIdTypes[kind]))
  const mayBeNull = presence !== "required" || (table.isLoose && column.field !== "id")
  return builder.addColumn(name, columnType(column, target), (definition) =>
    mayBeNull ? definition : definition.notNull(),
  )
}

/** How a column is declared. */
export function columnType({ field, kind }: Column, { dialect, userIdType }: MigrationTarget): RawBuilder<unknown> {
  return sql.raw((field === "userId" ? userIdType : undefined) ?? dialect.columnTypes[kind])
}

interface Reference {
  readonly from: readonly [table: string, column: string]
  readonly to: readonly [table: string, column: string]
}

/** A row goes with the row that it refers to. */
function refer(builder: Builder, { from: [table, column], to: [other, id] }: Reference): Builder {
  const cascade = (constraint: ForeignKeyConstraintBuilder): ForeignKeyConstraintBuilder =>
    constraint.onDelete("cascade")
  return builder.addForeignKeyConstraint(indexName(table, [column], "fkey"), [column], other, [id], cascade)
}

function createIndexes(target: MigrationTarget, table: Table, { unique, isOwned }: Rules): Compilable[] {
  const uniques = unique.flatMap((fields) =>
    createUnique(
      target,
      table.name,
      fields.map((field) => nameOf(table, field)),
    ),
  )
  return isOwned ? [...uniques, ...createIndex(target, table.name, nameOf(table, "userId"))] : uniques
}

function createUnique(target: MigrationTarget, table: string, columns: readonly string[]): readonly Compilable[] {
  const name = indexName(table, columns, "key")
  const create = target.db.schema
    .createIndex(name)
    .unique()
    .on(table)
    .columns([...columns])
  return target.dialect.repeating === "skip"
    ? [create.ifNotExists()]
    : unlessThere(target, { kind: "index", table, name }, create)
}

/** MySQL makes one for each reference by itself. */
function createIndex({ db, dialect }: MigrationTarget, table: string, column: string): readonly Compilable[] {
  if (dialect.repeating === "ask") return []
  return [
    db.schema
      .createIndex(indexName(table, [column], "index"))
      .ifNotExists()
      .on(table)
      .column(column),
  ]
}

/** The table that joins the rows of another one with their users, where there is one. */
export function createLink(target: MigrationTarget, table: Table): readonly Compilable[] {
  const { link, rowId } = table
  if (link === undefined || rowId === undefined) return []
  const { user } = target.schema
  const bare = target.db.schema
    .createTable(link.name)
    .ifNotExists()
    .addColumn(link.owned, sql.raw(target.dialect.columnTypes.key))
    .addColumn(link.owner, columnType(getColumn(table, "userId"), target))
  const owned = refer(bare, { from: [link.name, link.owned], to: [table.name, rowId] })
  const joined = refer(owned, { from: [link.name, link.owner], to: [user.name, idName(user)] })
  return [joined, ...createUnique(target, link.name, [link.owned]), ...createIndex(target, link.name, link.owner)]
}

function nameOf(table: Table, field: string): string {
  return getColumn(table, field).name
}

function idName(user: Table): string {
  return nameOf(user, "id")
}

/** Such as `Account_provider_providerAccountId_key`; without the schema that a table's name may carry. */
function indexName(table: string, columns: readonly string[], ending: string): string {
  return [table.split(".").at(-1), ...columns, ending].join("_")
}
