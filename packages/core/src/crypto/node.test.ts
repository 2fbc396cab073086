import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Bytes } from "./backend.js"
import { createRandomStock } from "./node.js"

/** Numbers every byte that the generator ever made, so that one given out twice is seen. */
function numberedStock(size: number) {
  const stocks: Bytes[] = []
  let made = 0
  const take = createRandomStock((bytes) => {
    stocks.push(bytes)
    for (let at = 0; at < bytes.length; at++) bytes[at] = ++made % 251
  }, size)
  return { take, stocks }
}

describe("a stock of random bytes", () => {
  it("keeps nothing of what it gave out", () => {
    const { take, stocks } = numberedStock(8)
    take(3)
    take(4)
    expect([...(stocks[0] ?? [])]).toEqual([0, 0, 0, 0, 0, 0, 0, 8])
  })

  it("hands out bytes of their own, which a later filling does not change", () => {
    const { take } = numberedStock(4)
    const first = take(4)
    take(4)
    expect([...first]).toEqual([1, 2, 3, 4])
  })

  it("gives each byte once, whatever is asked", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 12 }), (lengths) => {
        const { take } = numberedStock(16)
        const given = lengths.flatMap((length) => {
          const bytes = take(length)
          expect(bytes).toHaveLength(length)
          return [...bytes]
        })
        expect(new Set(given).size).toBe(given.length)
        expect(given).not.toContain(0)
      }),
    )
  })
})
