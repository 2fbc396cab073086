import { describe, expect, it } from "vitest"
import type { Subject } from "../scenario.ts"
import { runSlice } from "./slice.ts"

/** Counts what it is asked for, and how much of it is under way at once. */
function countingSubject(): { subject: Subject<number>; seen: number[]; readMost: () => number } {
  const seen: number[] = []
  let underWay = 0
  let most = 0
  const subject: Subject<number> = {
    prepare: (count) => Array.from({ length: count }, (_, index) => seen.length + index),
    async act(input) {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise(setImmediate)
      underWay -= 1
      seen.push(input)
      return input
    },
  }
  return { subject, seen, readMost: () => most }
}

describe("a slice", () => {
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

  it("keeps 32 operations under way", async () => {
    const { subject, seen, readMost } = countingSubject()
    const { slice } = await runSlice(subject, { inFlight: 32, milliseconds: 2 })
    expect(readMost()).toBe(32)
    expect(new Set(seen).size).toBe(slice.operations)
  })

  it("fails when an operation fails", async () => {
    const { subject } = countingSubject()
    const failing = { ...subject, act: () => Promise.reject(new Error("refused")) }
    await expect(runSlice(failing, { inFlight: 32, milliseconds: 2 })).rejects.toThrow("refused")
  })
})
