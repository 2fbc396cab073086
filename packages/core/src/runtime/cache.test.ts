import { describe, expect, it, vi } from "vitest"
import { lazy } from "./cache.js"

describe("once", () => {
  it("makes a value when it is first asked for, and keeps it, also when it is undefined", () => {
    for (const value of [{}, undefined, null]) {
      const make = vi.fn(() => value)
      const get = lazy(make)
      expect(make).not.toHaveBeenCalled()
      expect([get(), get()]).toEqual([value, value])
      expect(make).toHaveBeenCalledOnce()
    }
  })

  it("asks again after a failure", () => {
    const make = vi.fn(() => 5)
    make.mockImplementationOnce(() => {
      throw new Error("not yet")
    })
    const get = lazy(make)
    expect(get).toThrow("not yet")
    expect(get()).toBe(5)
  })
})
