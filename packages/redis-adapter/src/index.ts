// Imported as `@latchkey/redis-adapter`.
export type { RedisCheck } from "./check-store.js"
export type { IoredisClient, NodeRedisClient, RedisClient } from "./client.js"
export { RedisAdapter, type RedisAdapterOptions, type RedisMethods, RedisTokenStore } from "./redis-adapter.js"
