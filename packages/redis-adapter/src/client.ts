import { setTimeout as sleep } from "node:timers/promises"
import type { Script } from "./scripts.js"
import { type StoredHash, toHash } from "./stored-hash.js"

/**
 * The methods of an `ioredis` client (or a fork, such as `iovalkey`) that the adapter uses: a `Redis` or a `Cluster`.
 */
export interface IoredisClient {
  readonly status?: string
  hgetall(key: string): Promise<unknown>
  evalsha(sha: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndValues: string[]): Promise<unknown>
}

/** The methods of a `redis` (node-redis) client that the adapter uses: a client, a pool, a sentinel or a cluster. */
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

/** A client of either library. */
export type RedisClient = IoredisClient | NodeRedisClient

/** What differs between the clients. */
export interface RedisDriver {
  /** False while the client is connecting: it would queue a command now and send it later. */
  isReady(): boolean
  /** Notes the client's errors from now on. The function that it returns ends that, and returns the last one. */
  noteErrors(): () => unknown
  readHash(key: string): Promise<unknown>
  /** @throws an error that begins with `NOSCRIPT` if the server does not know the script yet */
  runKnown(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
  runText(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
  /** A setting of the server. Null if the client cannot ask. @throws the server's error if the user may not ask */
  readSetting(name: string): Promise<string | null>
}

/** @throws TypeError if the client is of neither library */
export function toDriver(client: RedisClient): RedisDriver {
  // as: the methods tell the clients apart.
  if (hasMethod(client, "evalSha") && hasMethod(client, "hGetAll")) return nodeRedisDriver(client as NodeRedisClient)
  if (hasMethod(client, "evalsha") && hasMethod(client, "hgetall")) return ioredisDriver(client as IoredisClient)
  throw new TypeError("RedisAdapter: the client must be from `ioredis` or `redis`")
}

function hasMethod(client: RedisClient, name: string): boolean {
  return typeof Reflect.get(client, name) === "function"
}

const connecting: ReadonlySet<string> = new Set(["connecting", "connect", "reconnecting", "close"])

function ioredisDriver(client: IoredisClient): RedisDriver {
  return {
    isReady: () => !connecting.has(client.status ?? ""),
    noteErrors: createNotes(client),
    readHash: (key) => client.hgetall(key),
    runKnown: ({ sha }, keys, values) => client.evalsha(sha, keys.length, ...keys, ...values),
    runText: ({ text }, keys, values) => client.eval(text, keys.length, ...keys, ...values),
    readSetting: (name) => askSetting(client, "call", ["CONFIG", "GET", name]),
  }
}

function nodeRedisDriver(client: NodeRedisClient): RedisDriver {
  return {
    // A client that is not open was never connected or is closed: its own error says so.
    isReady: () => client.isOpen === false || client.isReady !== false,
    noteErrors: createNotes(client),
    readHash: (key) => client.hGetAll(key),
    runKnown: ({ sha }, keys, values) => client.evalSha(sha, { keys: [...keys], arguments: [...values] }),
    runText: ({ text }, keys, values) => client.eval(text, { keys: [...keys], arguments: [...values] }),
    readSetting: (name) => askSetting(client, "sendCommand", [["CONFIG", "GET", name]]),
  }
}

/** With one listener for all who wait: an app may have thousands of requests without a connection. */
function createNotes(client: RedisClient): RedisDriver["noteErrors"] {
  let [waiting, last]: [number, unknown] = [0, undefined]
  const note = (error: unknown) => {
    last = error
  }
  const call = (method: "on" | "off") => {
    if (hasMethod(client, method)) Reflect.get(client, method).call(client, "error", note)
  }
  return () => {
    if (waiting === 0) {
      last = undefined
      call("on")
    }
    waiting += 1
    let isOver = false
    return () => {
      if (isOver) return last
      isOver = true
      waiting -= 1
      if (waiting === 0) call("off")
      return last
    }
  }
}

/** Calls a method that clients have, but no type that the adapter requires of them. */
async function askSetting(client: RedisClient, method: string, given: readonly unknown[]): Promise<string | null> {
  const send: unknown = Reflect.get(client, method)
  if (typeof send !== "function") return null
  const answer: unknown = await Reflect.apply(send, client, given)
  const value: unknown = Array.isArray(answer) ? answer[1] : Object.values(Object(answer))[0]
  return typeof value === "string" ? value : null
}

/** The steps of an operation. Each is one atomic command. */
export interface RedisSteps {
  /** Returns an empty hash if the key does not exist. */
  readHash(key: string): Promise<StoredHash>
  /** All keys of a script must be in one hash slot. */
  run(script: Script, keys: readonly string[], values?: readonly string[]): Promise<unknown>
}

/** Runs an operation of one or more steps. */
export type RunOperation = <T>(operation: (redis: RedisSteps) => Promise<T>) => Promise<T>

/** How often to check whether a connecting client is ready, in milliseconds. */
const pollMs = 10

/**
 * Runs operations with a deadline: after it, the operation fails and runs no further step. A step waits for a
 * connection here and not in the client's queue, which would send it long after the caller got an error.
 */
export function createOperations(driver: RedisDriver, timeoutMilliseconds: number): RunOperation {
  return async (operation) => {
    const deadline = Promise.withResolvers<never>()
    const progress: Progress = { isOver: false }
    const timer = setTimeout(() => {
      progress.isOver = true
      const missing = driver.isReady() ? "response" : "connection"
      const reason = progress.endNotes?.()
      const why = reason === undefined ? "" : ` (${describe(reason)})`
      deadline.reject(new Error(`Redis: no ${missing} within ${timeoutMilliseconds} ms${why}`))
    }, timeoutMilliseconds)
    try {
      return await Promise.race([operation(createSteps(driver, progress)), deadline.promise])
    } finally {
      progress.isOver = true
      progress.endNotes?.()
      clearTimeout(timer)
    }
  }
}

interface Progress {
  isOver: boolean
  /** Set while the operation waits, or has waited, for a connection. */
  endNotes?: () => unknown
}

function createSteps(driver: RedisDriver, progress: Progress): RedisSteps {
  const step = async <T>(call: () => Promise<T>): Promise<T> => {
    while (!driver.isReady() && !progress.isOver) {
      progress.endNotes ??= driver.noteErrors()
      await sleep(pollMs)
    }
    if (progress.isOver) throw new Error("Redis: the operation ended before this step")
    try {
      return await call()
    } catch (error) {
      if (!isMoving(error)) throw toRedisFailure(error)
    }
    await sleep(pollMs)
    return step(call)
  }
  return {
    readHash: async (key) => toHash(await step(() => driver.readHash(key))),
    run: async (script, keys, values = []) => {
      const known = await step(() => runKnown(driver, script, keys, values))
      return known ? known.reply : await step(() => driver.runText(script, keys, values))
    },
  }
}

/** Whether a script was not run because its keys are on two nodes, while their slot moves. node-redis does not repeat it. */
const isMoving = (error: unknown): boolean => error instanceof Error && error.message.startsWith("TRYAGAIN")

/** Null if the server does not know the script: it knows none after a start. */
async function runKnown(
  driver: RedisDriver,
  script: Script,
  keys: readonly string[],
  values: readonly string[],
): Promise<{ readonly reply: unknown } | null> {
  try {
    return { reply: await driver.runKnown(script, keys, values) }
  } catch (error) {
    if (error instanceof Error && error.message.startsWith("NOSCRIPT")) return null
    throw error
  }
}

/** Longer messages quote their input. */
const maxMessageLength = 200

/**
 * An error that is safe to log. It does not carry the client's error as its cause, since that may hold the command, and
 * with it tokens and email addresses.
 */
function toRedisFailure(error: unknown): Error {
  return new Error(`Redis: ${describe(error)}`)
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "the client failed without an error"
  const [line = ""] = error.message.split("\n")
  // For an unknown command, the server repeats the arguments.
  const [text = ""] = line.split(/,? with args beginning with/)
  const code: unknown = Reflect.get(error, "code")
  return (text || (typeof code === "string" ? code : error.name)).slice(0, maxMessageLength)
}
