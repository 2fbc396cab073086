import type { Compilable } from "kysely"
import type { Schema } from "../tables/schema.js"
import { firstColumns, type Table } from "../tables/table.js"
import {
  addColumn,
  createLink,
  createTable,
  dropColumn,
  type MigrationTarget,
  type TableRules,
} from "./schema-statements.js"

/** The minimum columns of a table. */
export interface TableShape {
  readonly name: string
  readonly columns: readonly string[]
}

/** One step in the history of the schema: lists of statements, which can be run or printed. */
export interface SchemaChange {
  up(target: MigrationTarget): readonly Compilable[]
  down(target: MigrationTarget): readonly Compilable[]
  /** The tables that the step creates, or keeps if they exist. */
  shapes(schema: Schema): readonly TableShape[]
}

/**
 * Creates the five tables (and in the linked layout the two that link them), with the constraints that uniqueness and
 * single use depend on. Existing tables (of another library, for example) are kept and get the unique indexes that they
 * lack, which fails if they contain duplicates.
 */
const createTables: SchemaChange = {
  up: (target) =>
    firstTables(target.schema).flatMap(([table, rules]) => [
      ...createTable(target, table, rules),
      ...createLink(target, table),
    ]),
  down: (target) =>
    firstTables(target.schema)
      .flatMap(([table]) => [table.name, ...(table.link ? [table.link.name] : [])])
      .toReversed()
      .map((name) => dropTable(target, name)),
  shapes: (schema) => firstTables(schema).flatMap(([table]) => shapesOf(table)),
}

/** The tables of the first step, and the columns that must be unique in each. They may have existed before. */
export function firstTables(schema: Schema): readonly (readonly [Table, TableRules])[] {
  return [
    [schema.user, { unique: [["email"]], isOwned: false }],
    [schema.account, { unique: [schema.account.key], isOwned: true }],
    [schema.session, { unique: [schema.session.key], isOwned: true }],
    [schema.verificationToken, { unique: [schema.verificationToken.key], isOwned: false }],
    [schema.authenticator, { unique: [schema.authenticator.key], isOwned: true }],
  ]
}

/** Adds the name and the last use of passkeys, and the table of consumed ids. */
const addPasskeys: SchemaChange = {
  up: (target) => {
    const { authenticator, spent } = target.schema
    const columns = authenticator.later.flatMap((column) => addColumn(target, authenticator, column))
    return [...columns, ...(spent ? createTable(target, spent, { unique: [spent.key], isOwned: false }) : [])]
  },
  down: (target) => {
    const { authenticator, spent } = target.schema
    return [
      ...(spent ? [dropTable(target, spent.name)] : []),
      ...authenticator.later.flatMap((column) => dropColumn(target, authenticator, column)),
    ]
  },
  shapes: ({ spent }) => (spent ? shapesOf(spent) : []),
}

/** Adds the table of verified emails; its rows are deleted with their user. */
const addVerifiedEmails: SchemaChange = {
  up: (target) => {
    const { provenEmail } = target.schema
    return provenEmail ? createTable(target, provenEmail, { unique: [provenEmail.key], isOwned: true }) : []
  },
  down: (target) => (target.schema.provenEmail ? [dropTable(target, target.schema.provenEmail.name)] : []),
  shapes: ({ provenEmail }) => (provenEmail ? shapesOf(provenEmail) : []),
}

/**
 * Adds the tables of the features beyond the contract. Foreign keys delete their rows, so that no statement of the
 * contract depends on these tables: an adapter works with a database that was not migrated yet.
 */
const addFeatures: SchemaChange = {
  up: (target) => featureTables(target.schema).flatMap(([table, rules]) => createTable(target, table, rules)),
  down: (target) => featureTables(target.schema).map(([table]) => dropTable(target, table.name)),
  shapes: (schema) => featureTables(schema).flatMap(([table]) => shapesOf(table)),
}

function featureTables({
  temporary,
  sessionDetail,
  password,
  factor,
}: Schema): readonly (readonly [Table, TableRules])[] {
  const indexes = { provider: ["provider", "providerSession"], account: ["provider", "providerAccountId"] }
  const rules = ({ key }: Table, isOwned: boolean): TableRules => ({ unique: [key], isOwned })
  return [
    ...(temporary ? [[temporary, rules(temporary, false)] as const] : []),
    ...(sessionDetail ? [[sessionDetail, { ...rules(sessionDetail, true), isOfSession: true, indexes }] as const] : []),
    ...(password ? [[password, rules(password, true)] as const] : []),
    ...(factor ? [[factor, rules(factor, true)] as const] : []),
  ]
}

/** Adds the table of changes of accounts; its rows are deleted with their user. */
const addAccountChanges: SchemaChange = {
  up: (target) => {
    const { accountChange } = target.schema
    const rules = { isOwned: true, indexes: { kind: ["kind"] } }
    return accountChange ? createTable(target, accountChange, { unique: [accountChange.key], ...rules }) : []
  },
  down: (target) => (target.schema.accountChange ? [dropTable(target, target.schema.accountChange.name)] : []),
  shapes: ({ accountChange }) => (accountChange ? shapesOf(accountChange) : []),
}

function dropTable({ db }: MigrationTarget, name: string): Compilable {
  return db.schema.dropTable(name).ifExists()
}

/** The first columns of a table, and of the table that links its rows to their users. */
function shapesOf(table: Table): readonly TableShape[] {
  const { name, rowId, link } = table
  const columns = firstColumns(table).map((column) => column.name)
  const own = { name, columns: rowId === undefined ? columns : [rowId, ...columns] }
  return link === undefined ? [own] : [own, { name: link.name, columns: [link.owned, link.owner] }]
}

/** The history of the schema, in the order of the names. A published name never changes, and neither does its step. */
export const schemaChanges: Readonly<Record<string, SchemaChange>> = {
  "0001_create_tables": createTables,
  "0002_passkeys": addPasskeys,
  "0003_proven_emails": addVerifiedEmails,
  "0004_features": addFeatures,
  "0005_account_changes": addAccountChanges,
}

/** The tables of Kysely's `Migrator`. */
export interface MigrationTables {
  /** Lists the applied migrations. */
  readonly applied: string
  readonly lock: string
}

/** Schemas with different prefixes are migrated independently. */
export function migrationTables({ prefix }: Schema): MigrationTables {
  return { applied: `${prefix}latchkey_migration`, lock: `${prefix}latchkey_migration_lock` }
}
