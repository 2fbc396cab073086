import type { Awaitable } from "@latchkey/core/adapters"
import { andThen } from "../and-then.js"
import type { Key } from "./key-match.js"
import type { CompiledStatement } from "./kysely-runner.js"
import { type RowWrites, rowWrites } from "./row-writes.js"
import type { SqlRunner } from "./runner.js"
import type { TableStatements } from "./table-statements.js"

/** The rows of one table as records of the contract. The database alone decides between callers that come at once. */
export interface TableRows<T> {
  find(key: Key): Awaitable<T | null>
  list(key: Key): Awaitable<T[]>
  /** Writes the fields that the table has columns for. Throws when a unique column has the value already. */
  insert(record: object): Awaitable<T>
  /** Whether this caller has made the row: false where one with the key is there already. */
  insertOnce(record: object): Awaitable<boolean>
  /** Null when there is no such row; never makes one. */
  update(key: Key, changes: object): Awaitable<T | null>
  /** Sets a number, unless a larger one is there already. Null when there is no such row. */
  raise(key: Key, field: string, value: number): Awaitable<T | null>
  /** The row, to the one caller who has removed it; null to all others. */
  remove(key: Key): Awaitable<T | null>
  /** Removes the rows whose date lies before the instant, and says how many they were. */
  removeBefore(field: string, instant: Date): Awaitable<number>
}

export interface RowAccess<T> {
  readonly statements: TableStatements<T>
  readonly runner: SqlRunner<CompiledStatement>
  /** Whether statements that write return the rows they wrote. */
  readonly returnsRows: boolean
}

export function tableRows<T>(access: RowAccess<T>): TableRows<T> {
  const { statements, runner } = access
  const { find, write, remove } = rowWrites(access)
  return {
    find,
    list(key) {
      const statement = statements.select(key)
      return statement === null ? [] : andThen(runner.list(statement), (rows) => rows.map(statements.selection.read))
    },
    insert: (record) => andThen(insertWithLink(access, record), (row) => row ?? fail(statements)),
    insertOnce: (record) => andThen(runner.count(statements.insertOrIgnore(record)), (made) => made > 0),
    update(key, changes) {
      const statement = statements.update(key, changes)
      return statement === null ? find(key) : write(statement, { ...key, ...statements.keyOf(changes) })
    },
    raise(key, field, value) {
      const statement = statements.raise(key, field, value)
      return statement === null ? null : write(statement, key)
    },
    remove(key) {
      const statement = statements.remove(key)
      return statement === null ? null : remove(statement, key)
    },
    removeBefore: (field, instant) => runner.count(statements.removeBefore(field, instant)),
  }
}

/** The row and, where another table joins it with its user, that row too: both or neither. */
function insertWithLink<T>(access: RowAccess<T>, record: object): ReturnType<RowWrites<T>["insert"]> {
  const { statements, runner } = access
  const link = statements.link(record)
  if (link === null) return rowWrites(access).insert(record)
  return runner.transact((within) =>
    andThen(rowWrites({ ...access, runner: within }).insert(record), (row) => andThen(within.count(link), () => row)),
  )
}

function fail(statements: TableStatements<unknown>): never {
  throw new Error(`${statements.table.name}: the row is gone right after its insertion`)
}
