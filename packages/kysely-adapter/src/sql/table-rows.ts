import { andThen, type Key, type RecordStore } from "@latchkey/adapter-kit"
import type { Awaitable } from "@latchkey/core/adapters"
import { type AliasedExpression, type CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely"
import type { Schema } from "../tables/schema.js"
import { type Column, getColumn, type Table } from "../tables/table.js"
import { keyParameters, matchesKey, type Selection, selection } from "./clauses.js"
import type { SqlDialect } from "./dialect.js"
import { removeBefore } from "./remove-before.js"
import type { AnyTables, CompiledStatement, Row, SqlRunner } from "./runner.js"
import { TableStatements } from "./table-statements.js"

/** A database: `db` builds statements, `runner` runs them. */
export interface SqlAccess {
  readonly schema: Schema
  readonly dialect: SqlDialect
  readonly db: Kysely<AnyTables>
  readonly runner: SqlRunner<CompiledStatement>
  /** Whether the adapter begins transactions, is in one of the host, or has none. */
  readonly transactions: "own" | "joined" | "none"
  /** Whether the host opens the connections, and so decides on their settings. */
  readonly isHostInstance?: boolean
}

interface RowAccess<T> {
  readonly statements: TableStatements<T>
  readonly runner: SqlRunner<CompiledStatement>
  /** Whether statements that write return the rows they wrote. */
  readonly returnsRows: boolean
}

const compiledStatements = new WeakMap<Table, TableStatements<unknown>>()

/** The statements of an adapter's table, which its transactions share. */
function statementsOf<T>(table: Table, db: Kysely<AnyTables>, dialect: SqlDialect): TableStatements<T> {
  const statements = compiledStatements.get(table) ?? new TableStatements<T>(table, db, dialect)
  compiledStatements.set(table, statements)
  return statements as TableStatements<T> // as: each adapter has tables of its own, and one kind of record in each
}

/** The rows of one table as records. Answers synchronously if the runner does. */
export function tableRows<T>({ db, dialect, runner }: SqlAccess, table: Table): RecordStore<T> {
  const statements = statementsOf<T>(table, db, dialect)
  const access: RowAccess<T> = { statements, runner, returnsRows: dialect.returnsRows }
  const { find, write, updateIf, remove } = rowWrites(access)
  const list = (statement: CompiledStatement | null) =>
    statement === null ? [] : andThen(runner.list(statement), (rows) => rows.map(statements.selection.read))
  return {
    hasField: (field) => table.columns.some((column) => column.field === field),
    find,
    list: (key) => list(statements.select(key)),
    insert: (record) => andThen(insertWithLink(access, record), (row) => row ?? fail(table)),
    // A linked row needs a second statement.
    insertMany: table.link ? undefined : (records) => insertAll(runner, statements.insertMany(records)),
    findMistake: (record) => statements.findMistake(record),
    listAny: (key, field, values) => listAll(runner, statements.selectAny(key, field, values), statements),
    insertOnce: (record) => andThen(runner.count(statements.insertOrIgnore(record)), (inserted) => inserted > 0),
    update(key, changes) {
      const statement = statements.update(key, changes)
      return statement === null ? find(key) : write(statement, { ...key, ...statements.keyOf(changes) })
    },
    updateIf(key, changes, lifetime) {
      const statement = lifetime
        ? statements.updateWithin(key, changes, lifetime)
        : (statements.update(key, changes) ?? statements.select(key))
      return statement === null ? null : updateIf(statement, { key, changes })
    },
    raise(key, field, value) {
      const statement = statements.raise(key, field, value)
      return statement === null ? null : write(statement, key)
    },
    remove(key) {
      const statement = statements.remove(key)
      return statement === null ? null : remove(statement, key)
    },
    removeAll: (field, values) => (values.length === 0 ? 0 : runner.count(statements.removeAll(field, values))),
    lock: (key) => list(dialect.locksRows ? statements.selectLocked(key) : statements.select(key)),
    removeBefore: (field, instant) => removeBefore({ table, db, dialect, runner }, field, instant),
  }
}

async function listAll<T>(
  runner: SqlAccess["runner"],
  selects: readonly CompiledStatement[],
  { selection }: TableStatements<T>,
): Promise<T[]> {
  const found: T[] = []
  for (const select of selects) found.push(...(await runner.list(select)).map(selection.read))
  return found
}

function insertAll(runner: SqlAccess["runner"], statements: readonly CompiledStatement[]): Awaitable<unknown> {
  return statements.reduce<Awaitable<unknown>>((before, each) => andThen(before, () => runner.count(each)), null)
}

function fail(table: Table): never {
  throw new Error(`${table.name}: the row disappeared right after it was inserted`)
}

/** At the beginning of a transaction in SQLite: one that only locks when it first writes could fail after it has read. */
export function lockDatabase({ schema, db, dialect }: SqlAccess, runner: SqlAccess["runner"]): Awaitable<unknown> {
  return dialect.locksRows ? null : runner.count(statementsOf(schema.user, db, dialect).lockDatabase())
}

/** Inserts the row and, if a table links it to its user, the link: both or neither. */
function insertWithLink<T>(access: RowAccess<T>, record: object): Awaitable<T | null> {
  const { statements, runner } = access
  const link = statements.link(record)
  if (link === null) return rowWrites(access).insert(record)
  return runner.transact((within) =>
    andThen(rowWrites({ ...access, runner: within }).insert(record), (row) => andThen(within.count(link), () => row)),
  )
}

interface RowWrites<T> {
  find(key: Key): Awaitable<T | null>
  insert(record: object): Awaitable<T | null>
  /** @param key The key of the row after the statement */
  write(statement: CompiledStatement, key: Key): Awaitable<T | null>
  /** The row, for the callers whose statement matched it. */
  updateIf(statement: CompiledStatement, update: { readonly key: Key; readonly changes: object }): Awaitable<T | null>
  /** The row, for the one caller whose statement deleted it. */
  remove(statement: CompiledStatement, key: Key): Awaitable<T | null>
}

function rowWrites<T>(access: RowAccess<T>): RowWrites<T> {
  return access.returnsRows ? returningWrites(access) : countingWrites(access)
}

/** For databases that return the rows they wrote. */
function returningWrites<T>(access: RowAccess<T>): RowWrites<T> {
  const { statements, runner } = access
  const write = (statement: CompiledStatement) => andThen(runner.list(statement), ([row]) => read(statements, row))
  return {
    find: (key) => findRow(access, key),
    insert: (record) => write(statements.insert(record)),
    write,
    updateIf: write,
    remove: write,
  }
}

/** For MySQL: a second statement reads the row. Only the count tells which caller deleted a row. */
function countingWrites<T>(access: RowAccess<T>): RowWrites<T> {
  const { statements, runner } = access
  const find = (key: Key) => findRow(access, key)
  return {
    find,
    insert(record) {
      const key = statements.keyOf(record)
      const generated = statements.table.key.find((name) => !Object.hasOwn(key, name))
      const statement = statements.insert(record)
      if (generated === undefined) return andThen(runner.count(statement), () => find(key))
      return andThen(runner.insert(statement), (id) => (id === undefined ? null : find({ [generated]: String(id) })))
    },
    write: (statement, key) => andThen(runner.count(statement), () => find(key)),
    updateIf: (statement, { key, changes }) =>
      andThen(runner.count(statement), (count) =>
        // Some servers do not count a row that has the values already.
        count > 0 ? find(statements.keyOf(key)) : andThen(find(key), (row) => (row && has(row, changes) ? row : null)),
      ),
    remove: (statement, key) =>
      andThen(find(key), (found) => andThen(runner.count(statement), (removed) => (removed > 0 ? found : null))),
  }
}

/** Whether a row has the values of changes. */
function has(row: object, changes: object): boolean {
  return Object.entries(changes).every(([field, value]) => {
    const stored: unknown = Reflect.get(row, field)
    return value === undefined || stored === value || (value instanceof Date && stored?.valueOf() === value.valueOf())
  })
}

function findRow<T>({ statements, runner }: RowAccess<T>, key: Key): Awaitable<T | null> {
  const statement = statements.select(key)
  return statement === null ? null : andThen(runner.find(statement), (row) => read(statements, row))
}

function read<T>(statements: TableStatements<T>, row: Row | undefined): T | null {
  return row === undefined ? null : statements.selection.read(row)
}

/** Finds the user who owns a row of another table, in one statement. */
export function ownerLookup<User>(access: SqlAccess, owned: Table): (key: Key) => Awaitable<User | null> {
  const user = selection<User>(access.schema.user, access.dialect, { alias: "owner", offset: 0 })
  const find = joinedLookup(access, owned, user.columns)
  return (key) => andThen(find(key), (row) => (row === undefined ? null : user.read(row)))
}

/** As `ownerLookup`, and returns the owned row, too: the lookup of every request with a stored session. */
export function ownedAndOwnerLookup<Owned, User>(
  access: SqlAccess,
  owned: Table,
): (key: Key) => Awaitable<{ readonly owned: Owned; readonly owner: User } | null> {
  const row: Selection<Owned> = selection(owned, access.dialect, { alias: "owned", offset: 0 })
  const place = { alias: "owner", offset: owned.columns.length }
  const user: Selection<User> = selection(access.schema.user, access.dialect, place)
  const find = joinedLookup(access, owned, [...row.columns, ...user.columns])
  return (key) =>
    andThen(find(key), (found) => (found === undefined ? null : { owned: row.read(found), owner: user.read(found) }))
}

/** The statement is compiled on the first call. */
function joinedLookup(
  access: SqlAccess,
  owned: Table,
  columns: readonly AliasedExpression<unknown, string>[],
): (key: Key) => Awaitable<Row | undefined> {
  const keyColumns = owned.key.map((field) => getColumn(owned, field))
  let compiled: CompiledQuery | undefined
  return (key) => {
    compiled ??= compile(access, owned, columns)
    const parameters = keyParameters(keyColumns, key, access.dialect)
    if (parameters === null) return undefined
    return access.runner.find({ query: compiled.query, queryId: compiled.queryId, sql: compiled.sql, parameters })
  }
}

/** Joins the owned row with its user, directly or through the table that links the two. */
function compile(
  { db, dialect, schema: { user } }: SqlAccess,
  owned: Table,
  columns: readonly AliasedExpression<unknown, string>[],
): CompiledQuery {
  const keyColumns = owned.key.map((field) => getColumn(owned, field))
  const id = getColumn(user, "id")
  const owner = (reference: string) => isOwner(id, dialect)(sql.ref(`owner.${id.name}`), sql.ref(reference))
  const { link, rowId = "id" } = owned
  const rows = db.selectFrom(`${owned.name} as owned`)
  const joined =
    link === undefined
      ? rows.innerJoin(`${user.name} as owner`, (join) => join.on(owner(`owned.${getColumn(owned, "userId").name}`)))
      : rows
          .innerJoin(`${link.name} as link`, (join) => join.on(isSame(`link.${link.owned}`, `owned.${rowId}`)))
          .innerJoin(`${user.name} as owner`, (join) => join.on(owner(`link.${link.owner}`)))
  return joined
    .select(columns)
    .where(matchesKey(keyColumns, dialect, "owned"))
    .compile()
}

/** Compares the id of a user exactly: a column of the host may take the ids of several users for equal. */
function isOwner({ kind }: Column, dialect: SqlDialect): SqlDialect["isSameText"] {
  return kind === "key" ? dialect.isSameText : (one, other) => sql<boolean>`${one} = ${other}`
}

function isSame(one: string, other: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(one)} = ${sql.ref(other)}`
}
