/** What the adapter calls of a client of `ioredis` (and of its kin, such as `iovalkey`): a `Redis` or a `Cluster`. */
export interface IoredisClient {
  readonly status?: string
  hgetall(key: string): Promise<unknown>
  evalsha(sha: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>
}

/** What the adapter calls of a client of `redis` (node-redis): a client, a pool, a sentinel or a cluster. */
export interface NodeRedisClient {
  readonly isOpen?: boolean
  readonly isReady?: boolean
  hGetAll(key: string): Promise<unknown>
  evalSha(sha: string, options: NodeRedisArguments): Promise<unknown>
  eval(script: string, options: NodeRedisArguments): Promise<unknown>
}

interface NodeRedisArguments {
  keys: string[]
  arguments: string[]
}

export type RedisClient = IoredisClient | NodeRedisClient
