import type { Awaitable } from "@latchkey/core/adapters"
import { andThen } from "./and-then.js"

/** Rows in the order of a key. The boundaries are values of that key; null is the beginning or the end of the table. */
export interface RowWalk<K> {
  /** The key of the row that follows so many rows, counted from a boundary. Null if there are no more rows. */
  findNext(from: K | null, rows: number): Awaitable<K | null>
  /** Deletes the expired rows from a boundary (included) to another (excluded). Returns how many there were. */
  removeBetween(from: K | null, to: K | null): Awaitable<number>
}

/** How much of a table is read and deleted at once. */
export interface BatchLimits {
  /** The rows of the first batch. */
  readonly firstRows: number
  /** No batch is larger, however fast the database is: it may contain nothing but expired rows. */
  readonly maxRows: number
  /** Batches grow while they take less than half of this time, and shrink when they take more. */
  readonly milliseconds: number
}

/** For databases inside the process, which each statement blocks. A table with a million live rows takes seconds. */
export const inProcessBatches: BatchLimits = { firstRows: 100, maxRows: 200, milliseconds: 8 }

/** For servers: far below any timeout, and few rows are locked at a time. */
export const serverBatches: BatchLimits = { firstRows: 500, maxRows: 2000, milliseconds: 20 }

const minRows = 25

/**
 * Deletes expired rows in batches, with a turn of the event loop between them. A single statement over a million rows would
 * block a process that uses SQLite for seconds, or exceed the timeout of a server, which then deletes nothing.
 *
 * It walks the whole table in the order of a key. There is no index on dates, so each search for expired rows would read
 * the live ones again. Returns synchronously if the walk does and one batch is enough.
 * @returns how many rows were deleted
 */
export function removeInBatches<K>(walk: RowWalk<K>, limits: BatchLimits): Awaitable<number> {
  const first = removeBatch(walk, null, limits.firstRows)
  return andThen(first, (batch) => (batch.next === null ? batch.count : removeRest(walk, batch, limits)))
}

interface Batch<K> {
  readonly count: number
  readonly rows: number
  readonly milliseconds: number
  /** Where the next batch begins. Null if this was the last one. */
  readonly next: K | null
}

function removeBatch<K>(walk: RowWalk<K>, from: K | null, rows: number): Awaitable<Batch<K>> {
  const startedAt = performance.now()
  return andThen(walk.findNext(from, rows), (next) => {
    // The walk may compare only a part of the key, and all of these rows may have the same one.
    if (next !== null && next === from) return removeBatch(walk, from, rows * 2)
    return andThen(walk.removeBetween(from, next), (count) => {
      return { count, rows, milliseconds: performance.now() - startedAt, next }
    })
  })
}

async function removeRest<K>(walk: RowWalk<K>, first: Batch<K>, limits: BatchLimits): Promise<number> {
  let total = first.count
  let batch = first
  while (batch.next !== null) {
    await turnOfEventLoop()
    batch = await removeBatch(walk, batch.next, nextSize(batch, limits))
    total += batch.count
  }
  return total
}

function nextSize({ rows, milliseconds }: Batch<unknown>, limits: BatchLimits): number {
  if (milliseconds > limits.milliseconds) return Math.max(minRows, Math.floor(rows / 2))
  return Math.min(limits.maxRows, milliseconds < limits.milliseconds / 2 ? rows * 2 : rows)
}

/** Lets waiting requests run. */
function turnOfEventLoop(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
