import { describe, expect, it, onTestFinished, vi } from "vitest"
import { callTransaction, createCaller, isUniqueViolation, readTimeout, repeatConflicts } from "./database-calls.js"

/** Work that fails a number of times with an error code. */
function failing(times: number, code: string) {
  const seen = { calls: 0 }
  const work = async () => {
    seen.calls += 1
    if (seen.calls <= times) throw Object.assign(new Error("refused"), { code })
    return "done"
  }
  return { seen, work }
}

describe("repeatConflicts", () => {
  it.each(["23505", "ER_DUP_ENTRY", "ECONNRESET", "57P01"])("does not retry after %s", async (code) => {
    const { seen, work } = failing(1, code)
    await expect(repeatConflicts(work)).rejects.toThrow("refused")
    expect(seen.calls).toBe(1)
  })

  it("gives up after five retries", async () => {
    const { seen, work } = failing(100, "40P01")
    await expect(repeatConflicts(work)).rejects.toThrow("refused")
    expect(seen.calls).toBe(6)
  })

  it.each(["40001", "40P01", "ER_LOCK_DEADLOCK", "ER_CHECKREAD"])("retries after %s", async (code) => {
    const { seen, work } = failing(2, code)
    expect(await repeatConflicts(work)).toBe("done")
    expect(seen.calls).toBe(3)
  })
})

describe("readTimeout", () => {
  it("rejects a time that timers do not support", () => {
    for (const timeoutMilliseconds of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "never" as never]) {
      expect(() => readTimeout({ timeoutMilliseconds })).toThrow("timeoutMilliseconds: must be a positive number")
    }
    expect([readTimeout({}), readTimeout({ timeoutMilliseconds: 50 })]).toEqual([10_000, 50])
  })
})

describe("createCaller", () => {
  const toFailure = (message: string, code: string) => Object.assign(new Error(message), { code })

  it("retries conflicts, but never in the host's transaction", async () => {
    const options = { timeoutMilliseconds: 5000, conflictCodes: new Set(["P2034"]), toFailure }
    const outside = failing(2, "P2034")
    expect(await createCaller({ ...options, isTransaction: false })(outside.work)).toBe("done")
    const inside = failing(2, "P2034")
    await expect(createCaller({ ...options, isTransaction: true })(inside.work)).rejects.toThrow("refused")
    expect([outside.seen.calls, inside.seen.calls]).toEqual([3, 1])
  })

  it("does not repeat a call that lost a conflict after the deadline", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { promise, reject } = Promise.withResolvers<string>()
    const work = vi.fn(() => promise)
    const call = createCaller({ timeoutMilliseconds: 10, isTransaction: false, toFailure })
    const answer = expect(call(work)).rejects.toMatchObject({ code: "ETIMEDOUT" })
    await vi.advanceTimersByTimeAsync(10)
    await answer
    reject(Object.assign(new Error("refused"), { code: "40001" }))
    await vi.runAllTimersAsync()
    expect(work).toHaveBeenCalledOnce()
  })

  it("rejects a call without an answer in time", async () => {
    const call = createCaller({ timeoutMilliseconds: 10, isTransaction: false, toFailure })
    await expect(call(() => new Promise(() => undefined))).rejects.toMatchObject({
      message: "no answer within 10 ms",
      code: "ETIMEDOUT",
    })
  })
})

describe("callTransaction", () => {
  const toFailure = (message: string, code: string) => Object.assign(new Error(message), { code })
  const run = createCaller({ timeoutMilliseconds: 10, isTransaction: false, toFailure })

  it("retries the whole transaction after a conflict", async () => {
    const { seen, work } = failing(2, "40P01")
    const patient = createCaller({ timeoutMilliseconds: 5000, isTransaction: false, toFailure })
    expect(await callTransaction({ run: patient, begin: (begun) => begun(null), work })).toBe("done")
    expect(seen.calls).toBe(3)
  })

  it("rejects with the error of the work, however the driver wraps it", async () => {
    const { work } = failing(1, "APP")
    const begin = (begun: (transaction: null) => Promise<string>) =>
      begun(null).catch(() => {
        throw new Error("rolled back")
      })
    await expect(callTransaction({ run, begin, work })).rejects.toMatchObject({ code: "APP" })
  })

  it("does not begin the work after the deadline", async () => {
    const { seen, work } = failing(0, "")
    const free = Promise.withResolvers<null>()
    const done = Promise.withResolvers<unknown>()
    const call = callTransaction({
      run,
      begin: async (begun: (transaction: null) => Promise<string>) => {
        const begins = begun(await free.promise)
        begins.catch(done.resolve)
        return await begins
      },
      work,
    })
    await expect(call).rejects.toMatchObject({ code: "ETIMEDOUT" })
    free.resolve(null)
    expect(String(await done.promise)).toContain("began after its deadline")
    expect(seen.calls).toBe(0)
  })
})

describe("isUniqueViolation", () => {
  it("recognizes the codes of all drivers, in causes too", () => {
    for (const error of [{ code: "23505" }, { code: "ER_DUP_ENTRY" }, { code: "ERR_SQLITE_ERROR", errcode: 2067 }]) {
      expect([error, { cause: error }, { cause: { err: error } }].map(isUniqueViolation)).toEqual([true, true, true])
    }
  })

  it("rejects other errors and other values", () => {
    for (const error of [{ code: "40P01" }, { cause: { code: "ECONNRESET" } }, new Error("23505"), "23505", null]) {
      expect(isUniqueViolation(error)).toBe(false)
    }
  })
})
