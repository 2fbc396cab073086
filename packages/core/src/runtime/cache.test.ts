import { describe, expect, it, vi } from "vitest"
import { BoundedMap, lazy } from "./cache.js"

describe("lazy", () => {
  it("creates a value on the first call and keeps it, even if it is undefined", async () => {
    for (const value of [{}, undefined, null]) {
      const create = vi.fn(async () => value)
      const get = lazy(create)
      expect(create).not.toHaveBeenCalled()
      expect([await get(), get()]).toEqual([value, value])
      expect(create).toHaveBeenCalledOnce()
    }
  })

  it("tries again after a failure", async () => {
    const create = vi.fn(async () => 5)
    create.mockRejectedValueOnce(new Error("not yet"))
    const get = lazy(create)
    await expect(get()).rejects.toThrow("not yet")
    expect([await get(), get()]).toEqual([5, 5])
    expect(create).toHaveBeenCalledTimes(2)
  })

  it("does not wait for a creation that never ends", async () => {
    const create = vi.fn(async () => 5)
    create.mockReturnValueOnce(new Promise(() => {}))
    const get = lazy(create)
    get()
    expect([await get(), get()]).toEqual([5, 5])
  })

  it("gives all calls the value that was there first", async () => {
    const get = lazy(async () => ({}))
    const [one, other] = await Promise.all([get(), get()])
    expect(other).toBe(one)
    expect(get()).toBe(one)
  })
})

describe("BoundedMap", () => {
  it("drops its oldest entry when it is full", () => {
    const map = new BoundedMap<string, number>(2)
    map.set("a", 1)
    map.set("b", 2)
    map.set("a", 3)
    expect(map.get("b")).toBe(2)
    map.set("c", 4)
    expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([undefined, 2, 4, 2])
  })
})
