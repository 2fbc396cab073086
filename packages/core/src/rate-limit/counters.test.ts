import { recordingLogger } from "@latchkey/testkit"
import { describe, expect, it } from "vitest"
import { createLog } from "../log/log.js"
import type { RateLimitOptions, RateLimitStore } from "../types/rate-limit.js"
import { dependableStore, memoryStore } from "./counters.js"

describe("dependableStore (RATE-07)", () => {
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
    // Each function returns what the same method of a memory store returns.
    const shared = Object.fromEntries(
      (["consume", "refund", "has", "forget"] as const).map((name) => [name, ask(name)]),
    ) as unknown as RateLimitStore
    const store = dependableStore(shared, { local: memoryStore(clock), whenStoreFails, clock, log: createLog(logger) })
    return { store, state, time, logger, asked }
  }

  it.each([
    ["rejects", refuse],
    ["throws", refuseAtOnce],
  ])("logs once a store that %s, and counts in the process", async (_, answer) => {
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

  it("calls a failed store again after ten seconds", async () => {
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

  it("calls a failed store again after the clock was set back", async () => {
    const { store, state, time, asked } = setUp(refuse)
    time.ms = 3_600_000
    await store.consume("a:1", 100)
    state.answer = null
    time.ms = 0
    expect(await store.consume("a:1", 100)).toMatchObject({ used: 1 })
    expect(asked).toHaveLength(2)
  })

  it.each([undefined, null, 3, {}, { used: Number.NaN, msLeft: 5 }, { used: 2 }])(
    "takes a store for failed that counts %o",
    async (count) => {
      const { store, state, logger } = setUp(null)
      state.answer = async () => count as never
      expect(await store.consume("a:1", 10)).toEqual({ used: 1, msLeft: 10_000 })
      expect(logger.errors.map(({ message }) => message)).toEqual(["rateLimit.store failed"])
    },
  )

  it("does not wait for a store that does not answer", async () => {
    const { store, logger } = setUp(never)
    const started = await Promise.all([store.consume("a:1", 10), store.consume("a:1", 10)])
    expect(started.map(({ used }) => used).sort()).toEqual([1, 2])
    expect(logger.errors).toHaveLength(1)
  })

  it("throws every time with whenStoreFails: reject", async () => {
    const { store, asked } = setUp(refuse, "refuse")
    for (let n = 0; n < 2; n++) await expect(store.consume("a:1", 10)).rejects.toThrow("rateLimit.store failed")
    expect(asked).toHaveLength(2)
  })
})

describe("memoryStore", () => {
  function setUp(capacity?: number) {
    const time = { ms: 0 }
    return { time, store: memoryStore(() => time.ms, capacity) }
  }

  it("counts within a window that the first event begins, and starts over after it", () => {
    const { time, store } = setUp()
    expect(store.consume("a:1", 10)).toEqual({ used: 1, msLeft: 10_000 })
    time.ms = 9_999
    expect(store.consume("a:1", 10)).toEqual({ used: 2, msLeft: 1 })
    time.ms = 10_000
    expect(store.has("a:1")).toBe(false)
    expect(store.consume("a:1", 10)).toEqual({ used: 1, msLeft: 10_000 })
  })

  it("ends a window by its length after the clock was set back, and keeps what it has counted", () => {
    const { time, store } = setUp()
    time.ms = 3_600_000
    store.consume("a:1", 10)
    time.ms = 0
    expect(store.consume("a:1", 10)).toEqual({ used: 2, msLeft: 10_000 })
    time.ms = 10_000
    expect(store.consume("a:1", 10)).toEqual({ used: 1, msLeft: 10_000 })
  })

  it("refunds, but not below zero, and without beginning a window", () => {
    const { store } = setUp()
    store.consume("a:1", 10)
    store.refund("a:1", 10)
    store.refund("a:1", 10)
    store.refund("a:2", 10)
    expect([store.has("a:1"), store.has("a:2")]).toEqual([true, false])
    expect(store.consume("a:1", 10)).toMatchObject({ used: 1 })
  })

  it("forgets only the given counter", () => {
    const { store } = setUp()
    for (const key of ["a:1", "a:2", "b:1"]) store.consume(key, 10)
    store.forget("a:1")
    expect(["a:1", "a:2", "b:1"].map((key) => store.has(key))).toEqual([false, true, true])
  })

  it("keeps at most its capacity of counters for each budget", () => {
    const { store } = setUp(100)
    store.consume("b:1", 10)
    const keys = Array.from({ length: 1000 }, (_, index) => `a:${index}`)
    for (const key of keys) store.consume(key, 10)
    expect(keys.filter((key) => store.has(key))).toHaveLength(100)
    expect(store.has("b:1")).toBe(true)
  })

  it("RATE-05: keeps a nearly full counter when it is flooded with new keys", () => {
    const { store } = setUp(100)
    for (let n = 0; n < 50; n++) store.consume("a:victim", 10)
    for (let n = 0; n < 10_000; n++) store.consume(`a:${n}`, 10)
    expect(store.consume("a:victim", 10)).toMatchObject({ used: 51 })
  })

  it("evicts expired counters first", () => {
    const { time, store } = setUp(20)
    for (let n = 0; n < 10; n++) store.consume(`a:old${n}`, 1)
    for (let n = 0; n < 10; n++) store.consume(`a:new${n}`, 100)
    time.ms = 1000
    for (let n = 0; n < 10; n++) store.consume(`a:more${n}`, 100)
    expect(Array.from({ length: 10 }, (_, n) => store.has(`a:new${n}`))).not.toContain(false)
  })
})
