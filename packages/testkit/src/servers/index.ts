// Imported as `@latchkey/testkit/servers`. Starts real servers that are installed on the machine.

export { collateMariadb, collatePostgres, lenientCollations } from "./collations.js"
export type { DatabaseServer } from "./databases.js"
export { startMariadb, startPostgres } from "./databases.js"
export type { StoreServer } from "./program.js"
export {
  findFreePort,
  findProgram,
  hasProgram,
  type ProgramOptions,
  type RunningProgram,
  startProgram,
} from "./program.js"
export { type RedisServerOptions, type StoreCluster, startRedis, startRedisCluster } from "./redis.js"
