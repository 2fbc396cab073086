import type { Awaitable } from "@latchkey/core/types"

type Callback = (error: unknown, session?: unknown) => void

/** A store of express-session: every connect-* store. Its methods call back, or return promises. */
export interface SessionStore {
  get(id: string, callback: Callback): unknown
  readonly destroy?: ((id: string, callback?: (error?: unknown) => void) => unknown) | undefined
}

/** Asks a store that calls back or returns a promise. Null for a session that it does not have. */
export function getFromStore(store: SessionStore, id: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle: Callback = (error, session) => {
      // The store of a file that is missing reports an error.
      if (error && !isMissing(error)) reject(error)
      else resolve(session ?? null)
    }
    const returned: unknown = store.get(id, settle)
    if (isPromise(returned)) returned.then((session) => resolve(session ?? null), reject)
  })
}

export function destroyInStore(store: SessionStore, id: string): Awaitable<void> {
  return new Promise((resolve, reject) => {
    const returned = store.destroy?.(id, (error) => (error ? reject(error) : resolve()))
    if (isPromise(returned)) returned.then(() => resolve(), reject)
  })
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === "object" && value !== null && "then" in value
}

function isMissing(error: unknown): boolean {
  return typeof error === "object" && error !== null && Reflect.get(error, "code") === "ENOENT"
}
