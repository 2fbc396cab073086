import {
  type Compilable,
  type CreateTableBuilder,
  type ForeignKeyConstraintBuilder,
  type Kysely,
  type RawBuilder,
  sql,
} from "kysely"
import type { SqlDialect } from "../sql/dialect.js"
import type { AnyTables } from "../sql/runner.js"
import type { Schema } from "../tables/schema.js"
import { type Column, firstColumns, getColumn, type Table } from "../tables/table.js"

/** The database to migrate. */
export interface MigrationTarget {
  readonly schema: Schema
  readonly dialect: SqlDialect
  /** Builds statements for the database; it does not have to run them. */
  readonly db: Kysely<AnyTables>
  /** How the column of user ids is declared, if it exists and foreign keys must be declared alike. */
  readonly userIdType?: string | undefined
  /** The same of session tokens. */
  readonly sessionTokenType?: string | undefined
}

/** What is unique in a table besides its primary key, and with which other rows a row is deleted. */
export interface TableRules {
  readonly unique: readonly (readonly string[])[]
  /** Whether a row is deleted with its user. */
  readonly isOwned: boolean
  /** Whether a row with a session token is deleted with the session. */
  readonly isOfSession?: boolean
  /** The fields of other indexes, each by a short name: MySQL limits the length of the whole. */
  readonly indexes?: Readonly<Record<string, readonly string[]>>
}

type Builder = CreateTableBuilder<string, string>

/** Creates a table. An existing table is kept and gets the unique indexes that it lacks. */
export function createTable(target: MigrationTarget, table: Table, rules: TableRules): readonly Compilable[] {
  return [createBareTable(target, table, rules), ...createIndexes(target, table, rules)]
}

function createBareTable(
  target: MigrationTarget,
  table: Table,
  { unique, isOwned, isOfSession }: TableRules,
): Compilable {
  const { user, session } = target.schema
  let builder: Builder = target.db.schema.createTable(table.name).ifNotExists()
  if (table.rowId !== undefined && table !== user) builder = declareRowId(builder, table.rowId, target)
  for (const column of firstColumns(table)) builder = declareColumn(builder, { column, table }, target)
  if (table === user && getColumn(user, "id").kind === "key")
    builder = builder.addPrimaryKeyConstraint(indexName(table.name, [idName(user)], "pkey"), [idName(user)])
  if (isOwned) builder = refer(builder, { from: [table.name, nameOf(table, "userId")], to: [user.name, idName(user)] })
  if (isOfSession) {
    const to = [session.name, nameOf(session, "sessionToken")] as const
    builder = refer(builder, { from: [table.name, nameOf(table, "sessionToken")], to })
  }
  if (target.dialect.repeatableBy === "ifNotExists") return builder
  return unique.reduce((all, fields) => {
    const columns = fields.map((field) => nameOf(table, field))
    return all.addUniqueConstraint(indexName(table.name, columns, "key"), columns)
  }, builder)
}

function declareRowId(builder: Builder, name: string, { dialect }: MigrationTarget): Builder {
  return builder.addColumn(name, sql.raw(dialect.columnTypes.key), (definition) => definition.notNull().primaryKey())
}

interface TableColumn {
  readonly column: Column
  readonly table: Table
}

function declareColumn(builder: Builder, { column, table }: TableColumn, target: MigrationTarget): Builder {
  const { name, kind, presence } = column
  if (table === target.schema.user && column.field === "id" && (kind === "integerKey" || kind === "uuidKey"))
    return builder.addColumn(name, sql.raw(target.dialect.generatedIdTypes[kind]))
  const isNullable = presence !== "required" || (table.isNullable && column.field !== "id")
  return builder.addColumn(name, columnType(column, target), (definition) =>
    isNullable ? definition : definition.notNull(),
  )
}

function columnType({ field, kind }: Column, target: MigrationTarget): RawBuilder<unknown> {
  const { dialect, userIdType, sessionTokenType } = target
  const referenced = { userId: userIdType, sessionToken: sessionTokenType }
  return sql.raw(referenced[field as keyof typeof referenced] ?? dialect.columnTypes[kind]) // as: undefined for other fields
}

interface Reference {
  readonly from: readonly [table: string, column: string]
  readonly to: readonly [table: string, column: string]
}

/** A row is deleted with the row that it refers to. */
function refer(builder: Builder, { from: [table, column], to: [other, id] }: Reference): Builder {
  const cascade = (constraint: ForeignKeyConstraintBuilder): ForeignKeyConstraintBuilder =>
    constraint.onDelete("cascade")
  return builder.addForeignKeyConstraint(indexName(table, [column], "fkey"), [column], other, [id], cascade)
}

function createIndexes(target: MigrationTarget, table: Table, rules: TableRules): Compilable[] {
  const { unique, isOwned, isOfSession, indexes = {} } = rules
  const uniques = unique.flatMap((fields) => {
    const columns = fields.map((field) => nameOf(table, field))
    return createUnique(target, table.name, columns)
  })
  const references = [...(isOwned ? ["userId"] : []), ...(isOfSession ? ["sessionToken"] : [])]
  return [
    ...uniques,
    ...references.flatMap((field) => createIndex(target, table.name, nameOf(table, field))),
    ...Object.entries(indexes).flatMap(([name, fields]) => createNamedIndex(target, table, name, fields)),
  ]
}

function createUnique(target: MigrationTarget, table: string, columns: readonly string[]): readonly Compilable[] {
  const name = indexName(table, columns, "key")
  const create = target.db.schema
    .createIndex(name)
    .unique()
    .on(table)
    .columns([...columns])
  return target.dialect.repeatableBy === "ifNotExists"
    ? [create.ifNotExists()]
    : unlessExists(target, { kind: "index", table, name }, create)
}

function createNamedIndex(
  target: MigrationTarget,
  table: Table,
  shortName: string,
  fields: readonly string[],
): readonly Compilable[] {
  const name = indexName(table.name, [shortName], "index")
  const create = target.db.schema
    .createIndex(name)
    .on(table.name)
    .columns(fields.map((field) => nameOf(table, field)))
  return target.dialect.repeatableBy === "ifNotExists"
    ? [create.ifNotExists()]
    : unlessExists(target, { kind: "index", table: table.name, name }, create)
}

/** MySQL creates an index for each foreign key itself. */
function createIndex({ db, dialect }: MigrationTarget, table: string, column: string): readonly Compilable[] {
  if (dialect.repeatableBy === "inspect") return []
  return [
    db.schema
      .createIndex(indexName(table, [column], "index"))
      .ifNotExists()
      .on(table)
      .column(column),
  ]
}

/** Creates the table that links the rows of another table to their users, if the layout has one. */
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
  const linked = refer(owned, { from: [link.name, link.owner], to: [user.name, idName(user)] })
  return [linked, ...createUnique(target, link.name, [link.owned]), ...createIndex(target, link.name, link.owner)]
}

function nameOf(table: Table, field: string): string {
  return getColumn(table, field).name
}

function idName(user: Table): string {
  return nameOf(user, "id")
}

/** A name such as `Account_provider_providerAccountId_key`, without the schema that a table's name may contain. */
function indexName(table: string, columns: readonly string[], ending: string): string {
  return [table.split(".").at(-1), ...columns, ending].join("_")
}

/** Adds a column to an existing table. */
export function addColumn(target: MigrationTarget, table: Table, column: Column): readonly Compilable[] {
  const add = target.db.schema.alterTable(table.name).addColumn(column.name, columnType(column, target))
  if (target.dialect.repeatableBy === "ifNotExists") return [add]
  return unlessExists(target, { kind: "column", table: table.name, name: column.name }, add)
}

export function dropColumn(target: MigrationTarget, table: Table, { name }: Column): readonly Compilable[] {
  const drop = target.db.schema.alterTable(table.name).dropColumn(name)
  if (target.dialect.repeatableBy === "ifNotExists") return [drop]
  return ifExists(target, { kind: "column", table: table.name, name }, drop)
}

interface TablePart {
  readonly kind: "index" | "column"
  /** The table's name, optionally with a schema, as in `auth.users`. */
  readonly table: string
  readonly name: string
}

/**
 * A change that is only made if the part does not exist, for MySQL: it has no `if not exists` for parts of a table and
 * cannot roll back schema changes, so a migration may continue one that failed halfway.
 * @see https://dev.mysql.com/doc/refman/8.4/en/sql-prepared-statements.html
 */
function unlessExists(target: MigrationTarget, part: TablePart, change: Compilable): readonly Compilable[] {
  return prepared(target, sql`if(exists(${findPart(part)}), 'do 0', ${sql.lit(change.compile().sql)})`)
}

function ifExists(target: MigrationTarget, part: TablePart, change: Compilable): readonly Compilable[] {
  return prepared(target, sql`if(exists(${findPart(part)}), ${sql.lit(change.compile().sql)}, 'do 0')`)
}

function findPart({ kind, table, name }: TablePart): RawBuilder<unknown> {
  const [tableName, schema] = table.split(".").toReversed()
  const ownSchema = schema === undefined ? sql`database()` : sql.lit(schema)
  const isInTable = sql`table_schema = ${ownSchema} and table_name = ${sql.lit(tableName)}`
  return kind === "index"
    ? sql`select 1 from information_schema.statistics where ${isInTable} and index_name = ${sql.lit(name)}`
    : sql`select 1 from information_schema.columns where ${isInTable} and column_name = ${sql.lit(name)}`
}

function prepared({ db }: MigrationTarget, text: RawBuilder<unknown>): readonly Compilable[] {
  const steps = [
    sql`set @latchkey = ${text}`,
    sql`prepare latchkey from @latchkey`,
    sql`execute latchkey`,
    sql`deallocate prepare latchkey`,
  ]
  return steps.map((step) => ({ compile: () => step.compile(db) }))
}
