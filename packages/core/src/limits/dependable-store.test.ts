import { recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import type { RateLimitOptions, RateLimitStore } from "../contract/rate-limit.js"
import { createLog } from "../log/log.js"
import { dependableStore } from "./dependable-store.js"
import { memoryStore } from "./memory-store.js"

const never = () => new Promise<never>(() => {})
const refuse = () => Promise.reject(new Error("connection refused"))
const refuseAtOnce = () => {
  throw new Error("connection refused")
}

function setUp(answer: (() => Promise<never>) | null, whenStoreFails?: RateLimitOptions["whenStoreFails"]) {
  const time = { ms: 0 }
  const clock = () => time.ms
  const logger = recordingLogger()
  const asked: string[] = []
  const sound = memoryStore(clock)
  const state = { answer }
  const ask = (name: keyof RateLimitStore) => (key: string, seconds: number) => {
    asked.push(name)
    return state.answer ? state.answer() : sound[name](key, seconds)
  }
  // Each name's function answers what that name of a store in memory does.
  const shared = Object.fromEntries(
    (["consume", "refund", "has", "forget"] as const).map((name) => [name, ask(name)]),
  ) as unknown as RateLimitStore
  const store = dependableStore(shared, { local: memoryStore(clock), whenStoreFails, clock, log: createLog(logger) })
  return { store, state, time, logger, asked }
}

describe("a shared store that fails (RATE-07)", () => {
  it.each([
    ["rejects", refuse],
    ["throws", refuseAtOnce],
  ])("and %s is logged once, and the process counts by itself", async (_, answer) => {
    const { store, logger, asked } = setUp(answer)
    expect(await store.consume("a:1", 10)).toMatchObject({ used: 1 })
    expect(await store.consume("a:1", 10)).toMatchObject({ used: 2 })
    expect(await store.has("a:1")).toBe(true)
    await store.refund("a:1", 10)
    expect(await store.consume("a:1", 10)).toMatchObject({ used: 2 })
    await store.forget("a:1")
    expect(await store.has("a:1")).toBe(false)
    expect(logger.errors.map(({ message }) => message)).toEqual(["rateLimit.store failed"])
    expect(asked).toEqual(["consume"])
  })

  it("is asked again after ten seconds", async () => {
    const { store, state, time, logger, asked } = setUp(refuse)
    await store.consume("a:1", 100)
    state.answer = null
    time.ms = 9_999
    await store.consume("a:1", 100)
    expect(asked).toHaveLength(1)
    time.ms = 10_000
    expect(await store.consume("a:1", 100)).toMatchObject({ used: 1 })
    expect([asked.length, logger.errors.length]).toEqual([2, 1])
  })

  it("does not keep a visitor waiting", async () => {
    const { store, logger } = setUp(never)
    const started = await Promise.all([store.consume("a:1", 10), store.consume("a:1", 10)])
    expect(started.map(({ used }) => used).sort()).toEqual([1, 2])
    expect(logger.errors).toHaveLength(1)
  })

  it("refuses every time where the host wants that", async () => {
    const { store, asked } = setUp(refuse, "refuse")
    for (let n = 0; n < 2; n++) await expect(store.consume("a:1", 10)).rejects.toThrow("rateLimit.store failed")
    expect(asked).toHaveLength(2)
  })
})
