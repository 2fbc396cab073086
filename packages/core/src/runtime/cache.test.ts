import { describe, expect, it, vi } from "vitest"
import { BoundedMap, createObjectCache, lazy } from "./cache.js"

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

describe("createObjectCache", () => {
  it.each([
    ["a plain object", {}],
    ["a frozen object", Object.freeze({})],
    ["a proxy", new Proxy({}, {})],
    ["an instance of a class", new (class Config {})()],
    ["a function", () => {}],
  ])("keeps a value for %s, and replaces it", (_, object) => {
    const cache = createObjectCache<number>()
    expect(cache.get(object)).toBeUndefined()
    for (const value of [1, 2]) {
      cache.set(object, value)
      expect(cache.get(object)).toBe(value)
    }
  })

  it("keeps the value of an object that is frozen later", () => {
    const cache = createObjectCache<number>()
    const object = {}
    cache.set(object, 1)
    Object.freeze(object)
    cache.set(object, 2)
    expect(cache.get(object)).toBe(2)
  })

  it("has no value for a copy, an heir or a proxy of an object, nor in another cache", () => {
    const cache = createObjectCache<number>()
    const object = { secret: "a" }
    cache.set(object, 1)
    const others = [{ ...object }, structuredClone(object), Object.create(object), new Proxy(object, {})]
    for (const other of others) expect(cache.get(other)).toBeUndefined()
    expect(createObjectCache<number>().get(object)).toBeUndefined()
  })

  it("changes nothing that other code can see", () => {
    const object = { secret: "a" }
    createObjectCache<number>().set(object, 1)
    expect(Reflect.ownKeys(object)).toEqual(["secret"])
    expect(Object.getPrototypeOf(object)).toBe(Object.prototype)
    expect(JSON.stringify(object)).toBe('{"secret":"a"}')
  })
})
