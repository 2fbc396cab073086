// What a store needs so that its growth can be measured. Each is filled by its own database, in seconds.
import { hash } from "node:crypto"
import type { Adapter } from "@latchkey/core/adapters"

/** A kind of store. */
export interface StoreKind {
  readonly name: string
  /** The programs that have to be installed. */
  readonly programs: readonly string[]
  start(): Promise<RunningStore>
}

/** A server, or a folder of files. */
export interface RunningStore {
  /** Creates an empty database. */
  open(database: "growing" | "single"): Promise<OpenStore>
  stop(): Promise<void>
}

/** A database that can be filled with users, each with an account and a session. */
export interface OpenStore {
  readonly adapter: Adapter & { removeExpired?(): number | PromiseLike<number> }
  /** Adds users, accounts and sessions until there are this many of each. The n-th session has `tokenOf(n)`. */
  fill(count: number): Promise<void>
  /** Reads the n-th session and its user by their keys, with the client alone. Null or undefined if they are missing. */
  read(n: number): Promise<unknown>
  /** How many sessions `removeExpired` deletes at once. */
  readonly expiredRows: number
  /** Adds this many sessions that have expired. */
  addExpired(count: number): Promise<void>
  /** Bytes of a user with one account and one session, with their indexes. */
  bytesOfUser(): Promise<number>
  close(): Promise<void>
}

/** The token of the n-th session. Databases compute it themselves. */
export function tokenOf(n: number): string {
  return hash("sha256", String(n))
}

/** When sessions end, as ISO 8601: before and after each run. */
export const past = "2020-01-01T00:00:00.000Z"
export const future = "2099-01-01T00:00:00.000Z"
