// Imported as `@latchkey/testkit/servers`. Starts real servers that are installed on the machine.
export type { DatabaseServer } from "./database-server.js"
export { startMariadb } from "./mariadb.js"
export { startPostgres } from "./postgres.js"
export {
  findFreePort,
  findProgram,
  hasProgram,
  type ProgramOptions,
  type RunningProgram,
  startProgram,
} from "./program.js"
export { type RedisServerOptions, type StoreCluster, startRedis, startRedisCluster } from "./redis.js"
export type { StoreServer } from "./store-server.js"
