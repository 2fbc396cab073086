import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { withDeadline } from "./promise.js"

const late = () => new Error("late")

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe("withDeadline", () => {
  it("rejects at the deadline, and not before", async () => {
    const outcome = vi.fn()
    withDeadline(new Promise(() => {}), 1_000, late).catch(outcome)
    await vi.advanceTimersByTimeAsync(999)
    expect(outcome).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(outcome).toHaveBeenCalledWith(new Error("late"))
  })

  it("LOG-06: drops an error that comes after the deadline", async () => {
    const unhandled = vi.fn()
    process.on("unhandledRejection", unhandled)
    let fail: (error: Error) => void = () => {}
    const work = new Promise((_, reject) => {
      fail = reject
    })
    const outcome = expect(withDeadline(work, 1_000, late)).rejects.toThrow("late")
    await vi.advanceTimersByTimeAsync(1_000)
    await outcome
    fail(new Error("much too late"))
    vi.useRealTimers()
    await new Promise((resolve) => setTimeout(resolve, 0))
    process.off("unhandledRejection", unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })

  it("settles like the work if that is in time, and clears its timer", async () => {
    expect(await withDeadline(Promise.resolve(5), 1_000, late)).toBe(5)
    await expect(withDeadline(Promise.reject(new Error("no")), 1_000, late)).rejects.toThrow("no")
    expect(vi.getTimerCount()).toBe(0)
  })
})
