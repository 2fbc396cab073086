import { setTimeout as sleep } from "node:timers/promises"
import type { RedisDriver } from "./client/redis-driver.js"
import { isUnknownScript, toRedisFailure } from "./client/redis-failure.js"
import type { Script } from "./scripts/script.js"
import { type StoredHash, toHash } from "./stored-hash.js"

/** The single steps of an operation. Each is one command, and all or nothing. */
export interface RedisSteps {
  /** Empty when there is no such key. */
  readHash(key: string): Promise<StoredHash>
  /** The keys of one script are in one hash slot. */
  run(script: Script, keys: readonly string[], values?: readonly string[]): Promise<unknown>
}

/** Runs an operation of one or more steps. */
export type RunOperation = <T>(operation: (redis: RedisSteps) => Promise<T>) => Promise<T>

/** Milliseconds between two looks at a client that is about to have a connection. */
const pollMs = 10

/**
 * Operations with a deadline each: past it the operation is refused, and takes no further step. A step waits for a
 * connection here rather than in the client's own queue, which would send it long after its caller was told that it
 * failed.
 */
export function createOperations(driver: RedisDriver, timeoutMilliseconds: number): RunOperation {
  return async (operation) => {
    const deadline = Promise.withResolvers<never>()
    const progress = { isOver: false }
    const timer = setTimeout(() => {
      progress.isOver = true
      const what = driver.isReady() ? "no answer" : "no connection"
      deadline.reject(new Error(`Redis: ${what} within ${timeoutMilliseconds} ms`))
    }, timeoutMilliseconds)
    try {
      return await Promise.race([operation(steps(driver, progress)), deadline.promise])
    } finally {
      progress.isOver = true
      clearTimeout(timer)
    }
  }
}

function steps(driver: RedisDriver, progress: { readonly isOver: boolean }): RedisSteps {
  const step = async <T>(call: () => Promise<T>): Promise<T> => {
    while (!driver.isReady() && !progress.isOver) await sleep(pollMs)
    if (progress.isOver) throw new Error("Redis: the operation was over before this step")
    try {
      return await call()
    } catch (error) {
      throw toRedisFailure(error)
    }
  }
  return {
    readHash: async (key) => toHash(await step(() => driver.readHash(key))),
    run: async (script, keys, values = []) => await step(() => runScript(driver, script, keys, values)),
  }
}

async function runScript(
  driver: RedisDriver,
  script: Script,
  keys: readonly string[],
  values: readonly string[],
): Promise<unknown> {
  try {
    return await driver.runKnown(script, keys, values)
  } catch (error) {
    if (!isUnknownScript(error)) throw error
    return await driver.runText(script, keys, values)
  }
}
