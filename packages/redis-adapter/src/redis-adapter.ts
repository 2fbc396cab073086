import type { Adapter } from "@latchkey/core/adapters"
import { accountMethods } from "./accounts.js"
import { authenticatorMethods } from "./authenticators.js"
import type { RedisClient } from "./client/redis-client.js"
import { toDriver } from "./client/redis-driver.js"
import { createOperations } from "./operation.js"
import { sessionMethods } from "./sessions.js"
import { createKeys } from "./store-keys.js"
import { tokenMethods } from "./tokens.js"
import { userMethods } from "./users.js"

export interface RedisAdapterOptions {
  /** Begins every key, with `:` behind it. Two services in one Redis need two. No braces. Default: `latchkey`. */
  readonly prefix?: string
  /** After how long a call is given up with an error, connecting included. Default: 5000. */
  readonly timeoutMilliseconds?: number
}

/** The longest that a timer of the platform can wait. */
const longestTimerMs = 2_147_483_647

/**
 * Keeps the records in Redis or Valkey, on one server or a cluster, through the host's own client of `ioredis` or
 * `redis`. The host connects the client, listens to its errors and closes it.
 *
 * Sessions, verification tokens and spent ids are removed by the server when they expire.
 * @throws TypeError when the client or an option cannot work
 */
export function RedisAdapter(client: RedisClient, options: RedisAdapterOptions = {}): Required<Adapter> {
  const { prefix = "latchkey", timeoutMilliseconds = 5000 } = options
  if (!(timeoutMilliseconds > 0 && timeoutMilliseconds <= longestTimerMs)) {
    throw new TypeError("RedisAdapter: timeoutMilliseconds must be a positive number of milliseconds")
  }
  const run = createOperations(toDriver(client), timeoutMilliseconds)
  const keys = createKeys(prefix)
  return {
    ...userMethods(run, keys),
    ...accountMethods(run, keys),
    ...sessionMethods(run, keys),
    ...authenticatorMethods(run, keys),
    ...tokenMethods(run, keys),
  }
}
