import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { andThen, attempt, withDeadline } from "./promise.js"

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

describe("andThen", () => {
  it("calls the next function at once with a value, and later with what a promise resolves to", async () => {
    expect(andThen(1, (value) => value + 1)).toBe(2)
    await expect(andThen(Promise.resolve(1), (value) => value + 1)).resolves.toBe(2)
  })

  it("waits for an object with a `then` method, and calls that method once", async () => {
    // Query builders run their query at each `then`, and do not return a promise.
    // biome-ignore lint/suspicious/noThenProperty: The thenable of a query builder.
    const query = { then: vi.fn((resolve: (row: string) => void) => resolve("row")) }
    await expect(andThen<string, string>(query as never, (row) => `${row}!`)).resolves.toBe("row!")
    expect(query.then).toHaveBeenCalledOnce()
  })
})

describe("attempt", () => {
  const rescue = (thrown: unknown) => `rescued from ${thrown}`
  const fail = () => {
    throw "a failure"
  }

  it("returns the value of the work, at once or later", async () => {
    expect(attempt(() => "done", rescue)).toBe("done")
    await expect(attempt(async () => "done", rescue)).resolves.toBe("done")
  })

  it("passes what the work throws to the rescue, at once or later", async () => {
    expect(attempt(fail, rescue)).toBe("rescued from a failure")
    await expect(attempt(async () => fail(), rescue)).resolves.toBe("rescued from a failure")
  })

  it("lets the rescue throw", async () => {
    expect(() => attempt(fail, fail)).toThrow("a failure")
    await expect(attempt(async () => fail(), fail)).rejects.toBe("a failure")
  })
})
