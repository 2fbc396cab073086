import type { Awaitable } from "@latchkey/core/adapters"
import { andThen } from "../and-then.js"
import type { Key } from "./key-match.js"
import type { CompiledStatement } from "./kysely-runner.js"
import type { Row, SqlRunner } from "./runner.js"
import type { TableStatements } from "./table-statements.js"

/** Writes rows and says what they are then. */
export interface RowWrites<T> {
  find(key: Key): Awaitable<T | null>
  insert(record: object): Awaitable<T | null>
  /** @param key Of the row as the statement leaves it. */
  write(statement: CompiledStatement, key: Key): Awaitable<T | null>
  /** The row, to the one caller whose statement has removed it. */
  remove(statement: CompiledStatement, key: Key): Awaitable<T | null>
}

interface WriteAccess<T> {
  readonly statements: TableStatements<T>
  readonly runner: SqlRunner<CompiledStatement>
  readonly returnsRows: boolean
}

export function rowWrites<T>(access: WriteAccess<T>): RowWrites<T> {
  return access.returnsRows ? returningWrites(access) : countingWrites(access)
}

/** For databases whose writing statements return the rows they wrote. */
function returningWrites<T>({ statements, runner }: WriteAccess<T>): RowWrites<T> {
  const write = (statement: CompiledStatement) => andThen(runner.list(statement), ([row]) => read(statements, row))
  return {
    find: (key) => findRow({ statements, runner }, key),
    insert: (record) => write(statements.insert(record)),
    write,
    remove: write,
  }
}

/**
 * For the others: the row is read beside the statement. Who has removed a row is told by the statement's count alone.
 */
function countingWrites<T>({ statements, runner }: WriteAccess<T>): RowWrites<T> {
  const find = (key: Key) => findRow({ statements, runner }, key)
  return {
    find,
    insert(record) {
      const key = statements.keyOf(record)
      const [field] = statements.table.key.filter((name) => !Object.hasOwn(key, name))
      const statement = statements.insert(record)
      if (field === undefined) return andThen(runner.count(statement), () => find(key))
      return andThen(runner.insert(statement), (made) => (made === undefined ? null : find({ [field]: String(made) })))
    },
    write: (statement, key) => andThen(runner.count(statement), () => find(key)),
    remove: (statement, key) =>
      andThen(find(key), (found) => andThen(runner.count(statement), (removed) => (removed > 0 ? found : null))),
  }
}

function findRow<T>({ statements, runner }: Omit<WriteAccess<T>, "returnsRows">, key: Key): Awaitable<T | null> {
  const statement = statements.select(key)
  return statement === null ? null : andThen(runner.find(statement), (row) => read(statements, row))
}

function read<T>({ selection }: TableStatements<T>, row: Row | undefined): T | null {
  return row === undefined ? null : selection.read(row)
}
