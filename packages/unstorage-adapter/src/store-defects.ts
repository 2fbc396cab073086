import type { StoreDefect } from "@latchkey/core/adapters"
import type { StorageDriver } from "./items.js"

const driverAdvice = "createStorage({ driver: redisDriver({ url }) }), or another driver that keeps records"

const forgetful = (name: string): StoreDefect => ({
  kind: "persistence",
  sentence: `The driver ${name} of unstorage keeps records in one process, so users are gone when it restarts and other processes do not see them`,
  statement: driverAdvice,
})

const byDriver: Readonly<Record<string, StoreDefect>> = {
  memory: forgetful("memory"),
  "lru-cache": {
    kind: "eviction",
    sentence:
      "The driver lru-cache of unstorage removes the records that were not used for the longest time, and with them users",
    statement: driverAdvice,
  },
  null: {
    kind: "persistence",
    sentence: "The driver null of unstorage keeps nothing",
    statement: driverAdvice,
  },
}

/** The client of the driver for Redis, of `ioredis`. */
interface RedisClient {
  info(section: string): Promise<unknown>
}

/** What is wrong with the store behind a driver, as far as the driver tells. Empty for several: which has our keys is not known. */
export async function findStoreDefects(drivers: readonly StorageDriver[]): Promise<readonly StoreDefect[]> {
  const [driver, ...others] = drivers
  if (others.length > 0) return []
  const { name = "" } = driver ?? {}
  const known = Object.hasOwn(byDriver, name) ? byDriver[name] : undefined
  if (known) return [known]
  const client = name === "redis" ? driver?.getInstance?.() : undefined
  return isRedisClient(client) ? await findRedisDefects(client) : []
}

function isRedisClient(client: unknown): client is RedisClient {
  return typeof client === "object" && client !== null && "info" in client && typeof client.info === "function"
}

async function findRedisDefects(client: RedisClient): Promise<readonly StoreDefect[]> {
  // Some services do not let it be asked.
  const memory = String(await client.info("memory").catch(() => ""))
  const [, policy = "noeviction"] = /^maxmemory_policy:(\S+)/m.exec(memory) ?? []
  if (policy === "noeviction" || !/^maxmemory:[1-9]/m.test(memory)) return []
  return [
    {
      kind: "eviction",
      sentence: `Redis evicts keys when its memory is full (maxmemory-policy ${policy}), and with them users, or ids that must be used once only`,
      statement: "CONFIG SET maxmemory-policy noeviction",
    },
  ]
}
