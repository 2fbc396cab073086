import type { Adapter, Awaitable } from "@latchkey/core/adapters"

/** A store with a published adapter, set up as documented. */
export interface TheirStore {
  /** Unchanged: no wrapper and no type assertion. */
  readonly adapter: Adapter
  /** Deletes all records. */
  empty(): Awaitable<unknown>
  close(): Awaitable<unknown>
}
