import { describe, expect, it } from "vitest"
import { defaultBudgets } from "./budgets.js"
import { resolveRateLimit } from "./limiter.js"

describe("resolveRateLimit", () => {
  it("is off by default outside production, and with rateLimit: false", () => {
    expect(resolveRateLimit({ rateLimit: undefined, isProduction: false })).toBeNull()
    for (const isProduction of [true, false]) expect(resolveRateLimit({ rateLimit: false, isProduction })).toBeNull()
  })

  it("fills in the defaults, and lifts budgets that are false", () => {
    const budgets = { signIn: { limit: 1, windowSeconds: 2 }, signOut: false, callback: undefined } as const
    const given: object = { budgets } // Plain JavaScript may set undefined.
    expect(resolveRateLimit({ rateLimit: given, isProduction: false })?.budgets).toEqual({
      ...defaultBudgets,
      signIn: { limit: 1, windowSeconds: 2 },
      signOut: undefined,
    })
    expect(resolveRateLimit({ rateLimit: undefined, isProduction: true })?.budgets).toEqual(defaultBudgets)
  })
})
