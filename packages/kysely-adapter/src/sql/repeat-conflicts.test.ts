import { describe, expect, it } from "vitest"
import { repeatConflicts } from "./repeat-conflicts.js"

const failing = (times: number, code: string) => {
  const seen = { calls: 0 }
  const work = async () => {
    seen.calls += 1
    if (seen.calls <= times) throw Object.assign(new Error("refused"), { code })
    return "done"
  }
  return { seen, work }
}

describe("repeatConflicts", () => {
  it.each(["23505", "ER_DUP_ENTRY", "ECONNRESET", "57P01"])("does nothing again after %s", async (code) => {
    const { seen, work } = failing(1, code)
    await expect(repeatConflicts(work)).rejects.toThrow("refused")
    expect(seen.calls).toBe(1)
  })

  it("gives up after the sixth time", async () => {
    const { seen, work } = failing(100, "40P01")
    await expect(repeatConflicts(work)).rejects.toThrow("refused")
    expect(seen.calls).toBe(6)
  })

  it.each(["40001", "40P01", "ER_LOCK_DEADLOCK", "ER_CHECKREAD"])("does it again after %s", async (code) => {
    const { seen, work } = failing(2, code)
    expect(await repeatConflicts(work)).toBe("done")
    expect(seen.calls).toBe(3)
  })
})
