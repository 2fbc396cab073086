import type { Adapter } from "@latchkey/core/adapters"

export type AdapterMethod = keyof Adapter

/** One promise that an adapter keeps. */
export interface AdapterCase {
  /**
   * A sentence with the adapter as its subject: "finds a user by email"; before it the security case that it proves.
   */
  readonly claim: string
  /** The methods that it takes to see whether the promise is kept. */
  readonly needs: readonly AdapterMethod[]
  /** Rejects when the promise is broken. Called only with adapters that have the needed methods. */
  run(adapter: Required<Adapter>, callers: number): Promise<void>
}
