import { describe, expect, it } from "vitest"
import { defaultBudgets, resolveRateLimit } from "./budgets.js"

describe("resolveRateLimit", () => {
  it("is off outside of production, where the host says nothing, and where it says so", () => {
    expect(resolveRateLimit({ rateLimit: undefined, isProduction: false })).toBeNull()
    for (const isProduction of [true, false]) expect(resolveRateLimit({ rateLimit: false, isProduction })).toBeNull()
  })

  it("fills in what the host leaves out, and lifts what it wants lifted", () => {
    const budgets = { signIn: { limit: 1, windowSeconds: 2 }, signOut: false, callback: undefined } as const
    const given: object = { budgets } // A host without type checks may write undefined.
    expect(resolveRateLimit({ rateLimit: given, isProduction: false })?.budgets).toEqual({
      ...defaultBudgets,
      signIn: { limit: 1, windowSeconds: 2 },
      signOut: undefined,
    })
    expect(resolveRateLimit({ rateLimit: undefined, isProduction: true })?.budgets).toEqual(defaultBudgets)
  })
})
