import { describe, expect, it } from "vitest"
import type { Subject } from "../scenario.ts"
import { parseWaitedUs, readWaitedUs, runSlice } from "./slice.ts"

/** Records its inputs and the highest number of operations in flight. */
function countingSubject(): { subject: Subject<number>; seen: number[]; readMost: () => number } {
  const seen: number[] = []
  let inFlight = 0
  let most = 0
  const subject: Subject<number> = {
    prepare: (count) => Array.from({ length: count }, (_, index) => seen.length + index),
    async run(input) {
      inFlight += 1
      most = Math.max(most, inFlight)
      await new Promise(setImmediate)
      inFlight -= 1
      seen.push(input)
      return input
    },
  }
  return { subject, seen, readMost: () => most }
}

describe("runSlice", () => {
  it("counts every operation once", async () => {
    const { subject, seen } = countingSubject()
    const { slice, last } = await runSlice(subject, { inFlight: 1, milliseconds: 5 })
    expect(slice.operations).toBe(seen.length)
    expect(new Set(seen).size).toBe(seen.length)
    expect(last).toBe(seen.at(-1))
  })

  it("runs one operation at a time", async () => {
    const { subject, readMost } = countingSubject()
    await runSlice(subject, { inFlight: 1, milliseconds: 2 })
    expect(readMost()).toBe(1)
  })

  it("keeps 32 operations in flight", async () => {
    const { subject, seen, readMost } = countingSubject()
    const { slice } = await runSlice(subject, { inFlight: 32, milliseconds: 2 })
    expect(readMost()).toBe(32)
    expect(new Set(seen).size).toBe(slice.operations)
  })

  it("fails when an operation fails", async () => {
    const { subject } = countingSubject()
    const failing = { ...subject, run: () => Promise.reject(new Error("refused")) }
    await expect(runSlice(failing, { inFlight: 32, milliseconds: 2 })).rejects.toThrow("refused")
  })
})

describe("the time waited for a processor", () => {
  it("is the second number of schedstat, in nanoseconds", () => {
    expect(parseWaitedUs("1234567 89000 42\n")).toBe(89)
  })

  it("is zero when schedstat has another format", () => {
    expect(parseWaitedUs("")).toBe(0)
  })

  it("never decreases", () => {
    const before = readWaitedUs()
    expect(readWaitedUs()).toBeGreaterThanOrEqual(before)
  })
})
