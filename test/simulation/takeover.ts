import nodeCrypto from "node:crypto"
import { syncBuiltinESMExports } from "node:module"
import { replaceDate } from "../../packages/testkit/src/time/fixed-clock.js"
import { hashCheaply } from "./argon2.js"

/** What a simulated world gives to all code instead of the machine's own time and chance. */
export interface TimeAndChance {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** Overwrites all bytes with random ones. */
  fill(bytes: Uint8Array): void
  /** Calls back when this time has passed. Returns the timer's id. */
  setTimer(milliseconds: number, callback: () => void): number
  clearTimer(id: unknown): void
  /** Begins work that another thread does after that of earlier calls, and waits for it before anything else goes on. */
  inTurn<T>(begin: () => Promise<T>): Promise<T>
}

/**
 * Replaces `Date`, the timers, `AbortSignal.timeout` and all sources of randomness of this process until the returned
 * function is called, and makes Argon2 cheap. Only one simulation can run at a time.
 */
export function takeOver(world: TimeAndChance): () => void {
  const undo = [
    replaceDate(() => world.now()),
    replaceTimers(world),
    replaceRandomness(world),
    replaceThreads(world),
    replaceArgon2(),
  ]
  return () => {
    for (const restore of undo.toReversed()) restore()
  }
}

function replaceTimers(world: TimeAndChance): () => void {
  const { setTimeout, clearTimeout } = globalThis
  const { timeout } = AbortSignal
  const setTimer = (callback: (...values: unknown[]) => void, milliseconds = 0, ...values: unknown[]) =>
    world.setTimer(milliseconds, () => callback(...values))
  const abortAfter = (milliseconds: number): AbortSignal => {
    const controller = new AbortController()
    world.setTimer(milliseconds, () => controller.abort(new DOMException("The time is over", "TimeoutError")))
    return controller.signal
  }
  Object.assign(globalThis, { setTimeout: setTimer, clearTimeout: (id: unknown) => world.clearTimer(id) })
  Object.assign(AbortSignal, { timeout: abortAfter })
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout })
    Object.assign(AbortSignal, { timeout })
  }
}

/** Web Crypto computes in other threads, and which of two ends first follows from no seed. */
function replaceThreads(world: TimeAndChance): () => void {
  const { subtle } = globalThis.crypto
  const names = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(subtle))).flatMap(
    ([name, { value }]) => (typeof value === "function" && name !== "constructor" ? [name] : []),
  )
  for (const name of names) {
    const method = Reflect.get(subtle, name)
    const value = (...args: unknown[]) => world.inTurn<unknown>(async () => Reflect.apply(method, subtle, args))
    Object.defineProperty(subtle, name, { value, configurable: true, writable: true })
  }
  return () => {
    for (const name of names) Reflect.deleteProperty(subtle, name)
  }
}

/** In this thread: which of two hashes in others ends first follows from no seed. */
function replaceArgon2(): () => void {
  const { argon2 } = nodeCrypto
  const here: typeof argon2 = (_, parameters, callback) => callback(null, hashCheaply(parameters))
  Object.assign(nodeCrypto, { argon2: here })
  return () => void Object.assign(nodeCrypto, { argon2 })
}

function replaceRandomness(world: TimeAndChance): () => void {
  const { randomFillSync, randomUUID, randomBytes } = nodeCrypto
  const { random } = Math
  const fill = <T extends ArrayBufferView>(view: T): T => {
    world.fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
    return view
  }
  const uuid = () => {
    const bytes = fill(Buffer.alloc(16))
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  }
  Object.assign(nodeCrypto, {
    randomFillSync: fill,
    randomUUID: uuid,
    randomBytes: (size: number) => fill(Buffer.alloc(size)),
  })
  syncBuiltinESMExports()
  const web = { getRandomValues: fill, randomUUID: uuid }
  for (const [name, value] of Object.entries(web)) {
    Object.defineProperty(globalThis.crypto, name, { value, configurable: true, writable: true })
  }
  Math.random = () => fill(Buffer.alloc(4)).readUInt32LE() / 2 ** 32
  return () => {
    Object.assign(nodeCrypto, { randomFillSync, randomUUID, randomBytes })
    syncBuiltinESMExports()
    for (const name of Object.keys(web)) Reflect.deleteProperty(globalThis.crypto, name)
    Math.random = random
  }
}
