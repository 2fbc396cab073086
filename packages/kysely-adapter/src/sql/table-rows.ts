import type { Awaitable } from "@latchkey/core/adapters"
import { andThen } from "../and-then.js"
import type { SqlDialect } from "./dialect.js"
import type { CompiledStatement } from "./kysely-runner.js"
import type { Row, SqlRunner } from "./runner.js"
import type { Key, TableStatements } from "./table-statements.js"

/** The rows of one table as records of the contract. The database alone decides between callers that come at once. */
export interface TableRows<T> {
  find(key: Key): Awaitable<T | null>
  list(key: Key): Awaitable<T[]>
  /** Writes the fields that the table has columns for. Throws when a unique column has the value already. */
  insert(record: object): Awaitable<T>
  /** Null when there is no such row; never makes one. */
  update(key: Key, changes: object): Awaitable<T | null>
  /** Sets a number, unless a larger one is there already. Null when there is no such row. */
  raise(key: Key, field: string, value: number): Awaitable<T | null>
  /** The row, to the one caller who has removed it; null to all others. */
  remove(key: Key): Awaitable<T | null>
  /** Removes the rows whose date lies before the instant, and says how many they were. */
  removeBefore(field: string, instant: Date): Awaitable<number>
}

interface Writing<T> {
  write(statement: CompiledStatement, key: Key): Awaitable<T | null>
  remove(statement: CompiledStatement, key: Key): Awaitable<T | null>
}

type Runner = SqlRunner<CompiledStatement>

export function tableRows<T>(
  statements: TableStatements<T>,
  runner: Runner,
  { returnsRows }: Pick<SqlDialect, "returnsRows">,
): TableRows<T> {
  const read = (row: Row | undefined): T | null => (row === undefined ? null : statements.selection.read(row))
  const find = (key: Key): Awaitable<T | null> => andThen(runner.find(statements.select(key)), read)
  const writing = returnsRows ? returningWrites(runner, read) : countingWrites(runner, find)
  return {
    find,
    list: (key) => andThen(runner.list(statements.select(key)), (rows) => rows.map(statements.selection.read)),
    insert(record) {
      const written = writing.write(statements.insert(record), keyOf(statements, record))
      return andThen(
        written,
        (row) => row ?? fail(`${statements.table.name}: the row is gone right after its insertion`),
      )
    },
    update(key, changes) {
      const statement = statements.update(key, changes)
      return statement === null ? find(key) : writing.write(statement, { ...key, ...keyOf(statements, changes) })
    },
    raise: (key, field, value) => writing.write(statements.raise(key, field, value), key),
    remove: (key) => writing.remove(statements.remove(key), key),
    removeBefore: (field, instant) => runner.count(statements.removeBefore(field, instant)),
  }
}

/** For databases whose writing statements return the rows they wrote. */
function returningWrites<T>(runner: Runner, read: (row: Row | undefined) => T | null): Writing<T> {
  const write = (statement: CompiledStatement): Awaitable<T | null> =>
    andThen(runner.list(statement), ([row]) => read(row))
  return { write, remove: write }
}

/** For the others: the row is read beside the statement. Who has removed a row is told by the statement's count alone. */
function countingWrites<T>(runner: Runner, find: (key: Key) => Awaitable<T | null>): Writing<T> {
  return {
    write: (statement, key) => andThen(runner.count(statement), () => find(key)),
    remove: (statement, key) =>
      andThen(find(key), (found) => andThen(runner.count(statement), (removed) => (removed > 0 ? found : null))),
  }
}

/** The fields of a table's key that a record has. */
function keyOf<T>(statements: TableStatements<T>, record: object): Key {
  const { key } = statements.table
  return Object.fromEntries(
    Object.entries(record).filter(([field, value]) => key.includes(field) && value !== undefined),
  )
}

function fail(message: string): never {
  throw new Error(message)
}
