import type { Adapter } from "@latchkey/core/adapters"
import type { RateLimitStore } from "@latchkey/core/types"
import type { RecordingLogger } from "../../packages/testkit/src/log/recorders.js"
import type { Exchange, Write } from "./exchange.js"
import type { Model } from "./model.js"
import type { Person } from "./people.js"
import type { SimulatedProvider } from "./provider.js"
import type { Random } from "./random.js"
import type { Scheduler } from "./scheduler.js"
import type { Setting } from "./setting.js"

/** What the instances share. */
export interface Surroundings {
  readonly setting: Setting
  readonly scheduler: Scheduler
  readonly model: Model
  readonly random: Random
  readonly people: readonly Person[]
  readonly providers: readonly SimulatedProvider[]
  readonly adapter: Adapter
  readonly counters: RateLimitStore
  readonly logger: RecordingLogger
  /** Keys of rate limits and caches must not be those of another run. */
  readonly runName: string
  recordWrite(exchange: Exchange, write: Write): void
  /** The time of the world, which no instance's clock is exactly. */
  now(): number
}
