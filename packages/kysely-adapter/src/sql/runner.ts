import type { Awaitable } from "@latchkey/core/adapters"
import type { SqlParameter } from "./column-value.js"

/** The values of a row: an array in the order of the selection, or an object by the selection's aliases. */
export type Row = readonly unknown[] | Readonly<Record<string, unknown>>

/** A compiled statement with its parameters, in the order of its placeholders. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly SqlParameter[]
}

/** Runs statements: at once where the driver can, so that nothing waits where there is nothing to wait for. */
export interface SqlRunner<S extends Statement = Statement> {
  /** The first row of a statement that only reads. */
  find(statement: S): Awaitable<Row | undefined>
  /** All rows of a statement that reads, or of one that writes and returns what it wrote. */
  list(statement: S): Awaitable<readonly Row[]>
  /** How many rows a statement has written. */
  count(statement: S): Awaitable<number>
  /** Inserts a row; gives the number that the database counted for it. */
  insert(statement: S): Awaitable<bigint | number | undefined>
  /** Does several things or, when one of them fails, none. */
  transact<T>(work: (runner: SqlRunner<S>) => Awaitable<T>): Awaitable<T>
}
