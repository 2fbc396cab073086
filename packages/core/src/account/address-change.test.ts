import { describe, expect, it } from "vitest"
import { planAddressChange, undoSeconds } from "./address-change.js"

const now = 1_000_000_000_000
const hour = 60 * 60 * 1000
const undoMs = undoSeconds * 1000

/** A former address, by how long ago it was given up. */
const former = (email: string, agoMs: number) => ({ email, until: now - agoMs + undoMs })

describe("planAddressChange", () => {
  it.each([
    { when: "there is no former one", current: "b", kept: [], oldest: null },
    { when: "ACC-03: the former one can be restored", current: "b", kept: [former("a", hour)], oldest: "a" },
    { when: "the former one can no longer be restored", current: "b", kept: [former("a", undoMs)], oldest: null },
    { when: "ACC-03: there are two", current: "c", kept: [former("b", hour), former("a", 2 * hour)], oldest: "a" },
    { when: "the former change did not take place", current: "a", kept: [former("a", hour)], oldest: null },
    { when: "another change is under way", current: "a", kept: [former("a", 1000)], oldest: "a" },
  ])("finds the address that an undo restores if $when", ({ current, kept, oldest }) => {
    const plan = planAddressChange({ current, wanted: "z", now }, kept)
    expect(plan.oldest?.email ?? null).toBe(oldest)
    expect(plan.outdated).toHaveLength(oldest === null ? kept.length : 0)
    expect(plan.isReturn).toBe(false)
    expect(plan.isRenewed).toBe(oldest !== null && kept.every(({ until }) => until - now <= undoMs - hour))
  })

  it("knows a change that leads back to the oldest address", () => {
    const plan = planAddressChange({ current: "b", wanted: "a", now }, [former("a", hour)])
    expect(plan).toMatchObject({ isReturn: true, isRenewed: false })
  })
})
