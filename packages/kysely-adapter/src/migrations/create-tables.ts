import {
  type Compilable,
  type CreateTableBuilder,
  type ForeignKeyConstraintBuilder,
  type RawBuilder,
  sql,
} from "kysely"
import { type Column, getColumn, type Table } from "../tables/column.js"
import type { Schema } from "../tables/schema.js"
import type { MigrationTarget, SchemaChange } from "./schema-change.js"

interface Rules {
  readonly unique: readonly (readonly string[])[]
  readonly isOwned: boolean
}

/** Beside each table's own key: what is unique, and whether a row belongs to a user and goes with that user. */
function rules(schema: Schema): readonly (readonly [Table, Rules])[] {
  return [
    [schema.user, { unique: [["email"]], isOwned: false }],
    [schema.account, { unique: [schema.account.key], isOwned: true }],
    [schema.session, { unique: [schema.session.key], isOwned: true }],
    [schema.verificationToken, { unique: [schema.verificationToken.key], isOwned: false }],
    [schema.authenticator, { unique: [schema.authenticator.key], isOwned: true }],
  ]
}

/**
 * The five tables, and the constraints on which uniqueness and single use rest. Tables that exist (from another
 * library, say) are kept as they are and get the unique indexes they lack; that fails when they hold duplicates.
 */
export const createTables: SchemaChange = {
  up: (target) =>
    rules(target.schema).flatMap(([table, { unique, isOwned }]) => [
      createTable(target, table, { unique, isOwned }),
      ...(target.dialect.separatesIndexes ? createIndexes(target, table, { unique, isOwned }) : []),
    ]),
  down: ({ db, schema }) =>
    rules(schema)
      .map(([table]) => db.schema.dropTable(table.name).ifExists())
      .toReversed(),
}

function createTable(target: MigrationTarget, table: Table, { unique, isOwned }: Rules): Compilable {
  const own = table.columns.filter((column) => !table.extra.includes(column))
  let builder: CreateTableBuilder<string, string> = target.db.schema.createTable(table.name).ifNotExists()
  for (const column of own) builder = addColumn(builder, column, target)
  if (table === target.schema.user)
    builder = builder.addPrimaryKeyConstraint(indexName(table, ["id"], "pkey"), columnNames(table, ["id"]))
  if (isOwned) builder = addOwner(builder, table, target.schema.user)
  if (target.dialect.separatesIndexes) return builder
  return unique.reduce(
    (all, fields) => all.addUniqueConstraint(indexName(table, fields, "key"), columnNames(table, fields)),
    builder,
  )
}

function addColumn(builder: CreateTableBuilder<string, string>, column: Column, { dialect }: MigrationTarget) {
  const type: RawBuilder<unknown> = sql.raw(dialect.columnTypes[column.kind])
  return builder.addColumn(column.name, type, (definition) =>
    column.presence === "required" ? definition.notNull() : definition,
  )
}

function addOwner(builder: CreateTableBuilder<string, string>, table: Table, user: Table) {
  const cascade = (constraint: ForeignKeyConstraintBuilder): ForeignKeyConstraintBuilder =>
    constraint.onDelete("cascade")
  const name = indexName(table, ["userId"], "fkey")
  return builder.addForeignKeyConstraint(
    name,
    columnNames(table, ["userId"]),
    user.name,
    columnNames(user, ["id"]),
    cascade,
  )
}

function createIndexes({ db }: MigrationTarget, table: Table, { unique, isOwned }: Rules): Compilable[] {
  const create = (name: string, fields: readonly string[]) =>
    db.schema.createIndex(name).ifNotExists().on(table.name).columns(columnNames(table, fields))
  return [
    ...unique.map((fields) => create(indexName(table, fields, "key"), fields).unique()),
    ...(isOwned ? [create(indexName(table, ["userId"], "index"), ["userId"])] : []),
  ]
}

function columnNames(table: Table, fields: readonly string[]): string[] {
  return fields.map((field) => getColumn(table, field).name)
}

/** Such as `Account_provider_providerAccountId_key`; without the schema that a table's name may carry. */
function indexName(table: Table, fields: readonly string[], ending: string): string {
  return [table.name.split(".").at(-1), ...columnNames(table, fields), ending].join("_")
}
