import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertShallow } from "./json-depth.js"

const tooDeep = /nested deeper than 32 levels/
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`

describe("assertShallow", () => {
  it.each([33, 200, 60_000])("LIM-02: refuses %i levels", (depth) => {
    expect(() => assertShallow(nested(depth))).toThrow(tooDeep)
    expect(() => assertShallow(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)).toThrow(tooDeep)
    expect(() => assertShallow("[{".repeat(depth))).toThrow(tooDeep)
  })

  it("lets 32 levels pass, however wide", () => {
    expect(() => assertShallow(nested(32))).not.toThrow()
    expect(() => assertShallow(`[${Array(1_000).fill(nested(31)).join()}]`)).not.toThrow()
  })

  it("does not count brackets inside of strings", () => {
    const deep = "[".repeat(100)
    for (const text of [deep, `\\"${deep}`, `${deep}\\\\`, `\\\\\\"${deep}`, `\n${deep}`]) {
      expect(() => assertShallow(`{"a":"${text}"}`), text).not.toThrow()
    }
    expect(() => assertShallow(`{"a":"\\\\"${deep}`)).toThrow(tooDeep)
  })

  it("takes a string without an end as one that reaches to the end", () => {
    expect(() => assertShallow(`{"a":"${"[".repeat(100)}`)).not.toThrow()
    expect(() => assertShallow(`"\\`)).not.toThrow()
  })

  // A text read again from each of its characters would take billions of steps: the test would not come to its end.
  it.each([
    ["quotes", '"'],
    ["backslashes", "\\"],
    ["escaped quotes", '\\"'],
    ["open strings", '"\\'],
    ["closing brackets", "]"],
    ["letters", "a"],
  ])("LIM-08: comes to its end with 64 KiB of %s, in and outside of a string", (_, unit) => {
    const text = unit.repeat(65_536 / unit.length)
    expect(() => assertShallow(text)).not.toThrow()
    expect(() => assertShallow(`"${text}`)).not.toThrow()
  })

  it("agrees with the depth of what JSON.parse returns", () => {
    const text = fc.string({ unit: fc.constantFrom(...'[]{}"\\,:a\n') })
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 25, max: 40 }), text, (inner, levels, name) => {
        let value: unknown = inner
        for (let level = 0; level < levels; level++) value = level % 2 ? [name, value] : { [name]: value }
        const check = () => assertShallow(JSON.stringify(value))
        if (depthOf(value) > 32) expect(check).toThrow(tooDeep)
        else expect(check).not.toThrow()
      }),
    )
  })
})

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}
