import { describe, expect, it } from "vitest"
import { memoryStore } from "./memory-store.js"

function setUp(capacity?: number) {
  const time = { ms: 0 }
  return { time, store: memoryStore(() => time.ms, capacity) }
}

describe("memoryStore", () => {
  it("counts within a window that the first one begins, and anew after it", () => {
    const { time, store } = setUp()
    expect(store.consume("a:1", 10)).toEqual({ used: 1, msLeft: 10_000 })
    time.ms = 9_999
    expect(store.consume("a:1", 10)).toEqual({ used: 2, msLeft: 1 })
    time.ms = 10_000
    expect(store.has("a:1")).toBe(false)
    expect(store.consume("a:1", 10)).toEqual({ used: 1, msLeft: 10_000 })
  })

  it("takes back, but never below nothing, and begins no window by that", () => {
    const { store } = setUp()
    store.consume("a:1", 10)
    store.refund("a:1", 10)
    store.refund("a:1", 10)
    store.refund("a:2", 10)
    expect([store.has("a:1"), store.has("a:2")]).toEqual([true, false])
    expect(store.consume("a:1", 10)).toMatchObject({ used: 1 })
  })

  it("forgets one counter and no other", () => {
    const { store } = setUp()
    for (const key of ["a:1", "a:2", "b:1"]) store.consume(key, 10)
    store.forget("a:1")
    expect(["a:1", "a:2", "b:1"].map((key) => store.has(key))).toEqual([false, true, true])
  })

  it("keeps no more counters than it has room for, those of other budgets apart", () => {
    const { store } = setUp(100)
    store.consume("b:1", 10)
    const keys = Array.from({ length: 1000 }, (_, index) => `a:${index}`)
    for (const key of keys) store.consume(key, 10)
    expect(keys.filter((key) => store.has(key))).toHaveLength(100)
    expect(store.has("b:1")).toBe(true)
  })

  it("RATE-05: keeps a counter that is nearly full, however many new keys are made up", () => {
    const { store } = setUp(100)
    for (let n = 0; n < 50; n++) store.consume("a:victim", 10)
    for (let n = 0; n < 10_000; n++) store.consume(`a:${n}`, 10)
    expect(store.consume("a:victim", 10)).toMatchObject({ used: 51 })
  })

  it("makes room by what is over before anything else", () => {
    const { time, store } = setUp(20)
    for (let n = 0; n < 10; n++) store.consume(`a:old${n}`, 1)
    for (let n = 0; n < 10; n++) store.consume(`a:new${n}`, 100)
    time.ms = 1000
    for (let n = 0; n < 10; n++) store.consume(`a:more${n}`, 100)
    expect(Array.from({ length: 10 }, (_, n) => store.has(`a:new${n}`))).not.toContain(false)
  })
})
