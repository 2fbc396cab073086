import type { Script } from "../scripts/script.js"
import type { IoredisClient, NodeRedisClient, RedisClient } from "./redis-client.js"

/** The little in which clients differ. */
export interface RedisDriver {
  /**
   * False while the client has no connection but is about to have one: what it is told now, it would keep and send
   * later.
   */
  isReady(): boolean
  readHash(key: string): Promise<unknown>
  /** @throws an error that begins with `NOSCRIPT` where the server does not know the script yet */
  runKnown(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
  runText(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
}

/** @throws TypeError for what is no client of either kind */
export function toDriver(client: RedisClient): RedisDriver {
  if (isMethod(client, "evalSha") && isMethod(client, "hGetAll")) return nodeRedisDriver(client as NodeRedisClient) // as: looked at
  if (isMethod(client, "evalsha") && isMethod(client, "hgetall")) return ioredisDriver(client as IoredisClient) // as: looked at
  throw new TypeError("RedisAdapter: the client must be one of `ioredis` or of `redis`")
}

function isMethod(client: RedisClient, name: string): boolean {
  return typeof Reflect.get(client, name) === "function"
}

const connecting: ReadonlySet<string> = new Set(["connecting", "connect", "reconnecting", "close"])

function ioredisDriver(client: IoredisClient): RedisDriver {
  return {
    isReady: () => !connecting.has(client.status ?? ""),
    readHash: (key) => client.hgetall(key),
    runKnown: ({ sha }, keys, values) => client.evalsha(sha, keys.length, ...keys, ...values),
    runText: ({ text }, keys, values) => client.eval(text, keys.length, ...keys, ...values),
  }
}

function nodeRedisDriver(client: NodeRedisClient): RedisDriver {
  return {
    // One that is not open was never connected or is closed for good: its own error says so.
    isReady: () => client.isOpen === false || client.isReady !== false,
    readHash: (key) => client.hGetAll(key),
    runKnown: ({ sha }, keys, values) => client.evalSha(sha, { keys: [...keys], arguments: [...values] }),
    runText: ({ text }, keys, values) => client.eval(text, { keys: [...keys], arguments: [...values] }),
  }
}
