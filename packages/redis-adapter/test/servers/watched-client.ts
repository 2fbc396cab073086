import { type IoredisClient, RedisAdapter, type RedisMethods } from "@latchkey/redis-adapter"
import type { Redis } from "ioredis"

/** A command before it is sent. */
export interface Step {
  /** The number of the command, from 0. */
  readonly index: number
  readonly keys: readonly string[]
  send(): Promise<unknown>
}

/** A client that passes each command to a test first, except for `eval`, which a server needs once for each script. */
export function watchedClient(client: Redis, pass: (step: Step) => Promise<unknown>): IoredisClient {
  const counter = { next: 0 }
  const step = (keys: readonly string[], send: () => Promise<unknown>) => pass({ index: counter.next++, keys, send })
  return {
    hgetall: (key) => step([key], () => client.hgetall(key)),
    evalsha: (sha, count, ...rest) => step(rest.slice(0, count), () => client.evalsha(sha, count, ...rest)),
    eval: (text, count, ...rest) => client.eval(text, count, ...rest),
  }
}

/** A client that loses its connection for good at a command, before or after the server has received it. */
export function interruptedClient(client: Redis, at: number, lost: "request" | "response"): IoredisClient {
  return watchedClient(client, async ({ index, send }) => {
    if (index < at) return await send()
    if (index === at && lost === "response") await send()
    throw new Error("the connection was lost")
  })
}

/** What a test does with a store: before an operation, the operation, and after it, whether it completed or not. */
export type InterruptedSteps = readonly [
  prepare: () => Promise<unknown>,
  operate: (interrupted: RedisMethods) => unknown,
  verify: (isDone: boolean) => Promise<void>,
]

/**
 * Runs an operation repeatedly, each time in a new store and interrupted one command later, until it completes.
 * @param begin Begins a new store and returns its prefix
 * @returns how often it ran
 */
export async function interruptAtEachCommand(
  client: Redis,
  begin: () => string,
  [prepare, operate, verify]: InterruptedSteps,
): Promise<number> {
  let runs = 0
  for (const lost of ["request", "response"] as const) {
    for (let at = 0, isDone = false; !isDone; at++) {
      const prefix = begin()
      await prepare()
      const interrupted = RedisAdapter(interruptedClient(client, at, lost), { prefix })
      isDone = await (async () => await operate(interrupted))().then(
        () => true,
        () => false,
      )
      await verify(isDone)
      runs++
    }
  }
  return runs
}

/** The names of all keys with a prefix. */
export async function listKeys(client: Redis, prefix: string): Promise<readonly string[]> {
  return await client.keys(`${prefix}:*`)
}
