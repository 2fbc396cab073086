import type { Store } from "../host/store.js"
import type { AdapterUser } from "../types/adapter.js"
import type { SessionLimit } from "../types/adapter-features.js"
import type { Awaitable } from "../types/basics.js"
import type { ResolvedConfig } from "../types/resolved.js"
import type { DatabaseSessionOptions } from "./database.js"
import type { JwtSessionOptions } from "./jwt.js"
import type { SessionDeps } from "./session.js"

/** What a tracker builds sessions with. */
export interface TrackerDeps extends TrackingDeps, Omit<DatabaseSessionOptions, "store"> {
  readonly tokenOptions: JwtSessionOptions
}

/** The collaborators of a tracker. */
export interface TrackingDeps extends SessionDeps {
  readonly store: Store
  readonly config: ResolvedConfig
  /** Whether the user could sign in without a second factor. */
  readonly admits: (user: AdapterUser) => Promise<boolean>
}

/** What `trackSessions()` was called with, with every default filled in. */
export interface TrackingSettings {
  /** Seconds between two lookups of one stateless session. */
  readonly checkEvery: number
  readonly device: DeviceCallback | undefined
  /** Whether sessions that began before they were tracked get a record: with a date, those that began before it. */
  readonly adopt: boolean | Date
  readonly maxPerUser: SessionLimit | undefined
  readonly whenStoreFails: "hold" | "refuse"
}

/**
 * Returns what is kept about the device of a session, in place of the user agent and the network. Null keeps nothing.
 */
export type DeviceCallback = (request: Request) => Awaitable<DeviceDescription | null>

/** What is kept about a device. What is left out is not kept. */
export interface DeviceDescription {
  /** The user agent; cut after 256 characters. */
  readonly userAgent?: string | undefined
  /** Where the device is, such as a network or a city; cut after 64 characters. */
  readonly network?: string | undefined
  /** A name for the device; cut after 64 characters. */
  readonly label?: string | undefined
}
