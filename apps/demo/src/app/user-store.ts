import type { Adapter } from "@latchkey/core/adapters"
import { sqlite } from "@latchkey/kysely-adapter/sqlite"

/** Where the app keeps its users. */
export interface UserStore {
  readonly adapter: Adapter & Required<Pick<Adapter, "getUserByEmail" | "createUser">>
  close(): unknown
}

/**
 * Opens a SQLite file, or connects to PostgreSQL or Redis. Creates what is missing, and removes what has expired.
 * @param place The path of a file, or a URL with `postgres:` or `redis:`.
 * @throws when the store cannot be used
 */
export async function openUserStore(place: string): Promise<UserStore> {
  if (/^postgres(ql)?:/.test(place)) return openPostgres(place)
  if (/^rediss?:/.test(place)) return openRedis(place)
  if (place.includes("://")) {
    throw new Error("LATCHKEY_DEMO_DATABASE must be a URL that begins with postgres:// or redis://.")
  }
  const adapter = sqlite(place)
  await adapter.removeExpired()
  return { adapter, close: adapter.close }
}

/** The drivers are loaded when they are used. */
async function openPostgres(url: string): Promise<UserStore> {
  const { postgres } = await import("@latchkey/kysely-adapter/postgres")
  const adapter = postgres(url)
  try {
    await adapter.migrate()
    await adapter.removeExpired()
  } catch (error) {
    await adapter.close()
    throw unusable("PostgreSQL", error)
  }
  return { adapter, close: adapter.close }
}

/** Redis removes expired records itself. */
async function openRedis(url: string): Promise<UserStore> {
  const { RedisAdapter } = await import("@latchkey/redis-adapter")
  const { Redis } = await import("ioredis")
  const client = new Redis(url, { lazyConnect: true })
  // Each call fails with its own error. Without a listener, every lost connection would also be printed.
  client.on("error", () => {})
  try {
    await client.connect()
  } catch (error) {
    client.disconnect()
    throw unusable("Redis", error)
  }
  return { adapter: RedisAdapter(client), close: () => client.quit() }
}

const unusable = (database: string, cause: unknown): Error =>
  new Error(`The ${database} database of LATCHKEY_DEMO_DATABASE cannot be used.`, { cause })
