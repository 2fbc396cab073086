import { describe, expect, it } from "vitest"
import { createSpentFlows } from "./spent-flows.js"

function spentFlows({ ttlSeconds = 900, capacity = 10 } = {}) {
  let now = 1_000_000
  const spent = createSpentFlows(() => now, ttlSeconds, capacity)
  function advance(seconds: number): void {
    now += seconds * 1000
  }
  return { spent, advance }
}

describe("spent flows", () => {
  it("refuse the second caller, for as long as the flow's cookies open", () => {
    const { spent, advance } = spentFlows()
    expect(spent.spend("a")).toBe(true)
    expect(spent.spend("a")).toBe(false)
    // Sealed values are believed for 15 s past their expiry.
    advance(915)
    spent.spend("b")
    expect(spent.spend("a")).toBe(false)
  })

  it("let only one of many callers through", () => {
    const { spent } = spentFlows()
    expect(Array.from({ length: 50 }, () => spent.spend("a")).filter(Boolean)).toHaveLength(1)
  })

  it("forget what no cookie can bring back", () => {
    const { spent, advance } = spentFlows()
    spent.spend("a")
    advance(1000)
    spent.spend("b")
    expect(spent.spend("a")).toBe(true)
    expect(spent.spend("b")).toBe(false)
  })

  it("give up the oldest when there are too many", () => {
    const { spent } = spentFlows({ capacity: 3 })
    for (const flow of ["a", "b", "c", "d"]) expect(spent.spend(flow)).toBe(true)
    for (const flow of ["b", "c", "d"]) expect(spent.spend(flow)).toBe(false)
    expect(spent.spend("a")).toBe(true)
  })
})
