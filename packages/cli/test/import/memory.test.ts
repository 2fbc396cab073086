import { describe, expect, it } from "vitest"
import { createMemory } from "../../src/import/memory.js"

const many = 5000

describe("createMemory", () => {
  it("knows what it was given, and nothing else, however much it grows", () => {
    const memory = createMemory()
    const texts = (prefix: string) => Array.from({ length: many }, (_, index) => `${prefix}-${index}`)
    expect(texts("user").filter((text) => memory.has(text))).toEqual([])
    expect(texts("user").filter((text) => memory.add(text))).toEqual([])
    expect(texts("user").filter((text) => !memory.has(text))).toEqual([])
    expect(texts("other").filter((text) => memory.has(text))).toEqual([])
    expect(texts("user").filter((text) => !memory.add(text))).toEqual([])
  })
})
