// Imported as `@latchkey/redis-adapter`.
export type { IoredisClient, NodeRedisClient, RedisClient } from "./client.js"
export { RedisAdapter, type RedisAdapterOptions, type RedisMethods } from "./redis-adapter.js"
