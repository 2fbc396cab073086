import { describe, expect, it, vi } from "vitest"
import { BoundedMap, lazy } from "./cache.js"

describe("lazy", () => {
  it("creates a value on the first call and keeps it, even if it is undefined", () => {
    for (const value of [{}, undefined, null]) {
      const create = vi.fn(() => value)
      const get = lazy(create)
      expect(create).not.toHaveBeenCalled()
      expect([get(), get()]).toEqual([value, value])
      expect(create).toHaveBeenCalledOnce()
    }
  })

  it("tries again after a failure", () => {
    const create = vi.fn(() => 5)
    create.mockImplementationOnce(() => {
      throw new Error("not yet")
    })
    const get = lazy(create)
    expect(get).toThrow("not yet")
    expect(get()).toBe(5)
  })

  it("tries again after a promise was rejected, and keeps a fulfilled one", async () => {
    const create = vi.fn(async () => 5)
    create.mockRejectedValueOnce(new Error("not yet"))
    const get = lazy(create)
    const failing = get()
    expect(get()).toBe(failing)
    await expect(failing).rejects.toThrow("not yet")
    expect(await get()).toBe(5)
    expect(get()).toBe(get())
    expect(create).toHaveBeenCalledTimes(2)
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
