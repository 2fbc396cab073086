import { describe, expect, it } from "vitest"
import { retryWhileBusy } from "./sqlite.js"

/** An error as `node:sqlite` throws it. */
function sqliteError(errcode: number): Error {
  return Object.assign(new Error("refused"), { code: "ERR_SQLITE_ERROR", errcode })
}

function failing(times: number, error: Error): { work: () => void; calls: () => number } {
  let calls = 0
  return {
    calls: () => calls,
    work() {
      calls += 1
      if (calls <= times) throw error
    },
  }
}

describe("retryWhileBusy", () => {
  it("gives up at once when the error is not that the database is busy", () => {
    const { work, calls } = failing(1, sqliteError(26))
    expect(() => retryWhileBusy(work, 5000)).toThrow("refused")
    expect(calls()).toBe(1)
  })

  it("gives up after the timeout", () => {
    const { work, calls } = failing(100, sqliteError(5))
    expect(() => retryWhileBusy(work, 20)).toThrow("refused")
    expect(calls()).toBe(3)
  })

  it.each([5, 261, 517])("retries until the database is free (code %i)", (errcode) => {
    const { work, calls } = failing(2, sqliteError(errcode))
    retryWhileBusy(work, 5000)
    expect(calls()).toBe(3)
  })
})
