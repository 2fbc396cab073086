import type { Adapter, Awaitable } from "@latchkey/core/adapters"

/** A store with an adapter that others published, as their documentation sets it up. */
export interface TheirStore {
  /** As it is: nothing is wrapped around it, and no type is bent. */
  readonly adapter: Adapter
  /** Removes every record. */
  empty(): Awaitable<unknown>
  close(): Awaitable<unknown>
}
