import fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { merge, toDate } from "./merge.js"

const key = fc.oneof(
  fc.constantFrom("__proto__", "constructor", "prototype", "toString", "a", "b"),
  fc.string({ maxLength: 3 }),
)
/** From `JSON.parse`, so that `__proto__` and `constructor` are own keys. */
const tree = fc.letrec<{ node: object; value: unknown }>((tie) => ({
  node: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.integer(), fc.constant(null), fc.constant(undefined), fc.array(fc.integer(), { maxLength: 2 })),
    tie("node"),
  ),
})).node

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const name of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, name))
  }
  return value
}

describe("merge", () => {
  it.each([
    '{"__proto__":{"polluted":true}}',
    '{"constructor":{"prototype":{"polluted":true}}}',
    '{"prototype":{"x":1}}',
  ])("CONF-08: cannot reach a prototype with %s", (text) => {
    const merged: object = merge({ a: { b: 1 } }, JSON.parse(`{"a":${text},"c":1}`))
    expect(merged).toEqual({ a: { b: 1 }, c: 1 })
    expect(Reflect.get({}, "polluted")).toBeUndefined()
    expect(Object.getPrototypeOf(Reflect.get(merged, "a"))).toBe(Object.prototype)
    expect(merge({ a: 1 }, JSON.parse(text))).toEqual({ a: 1 })
  })

  it.each([
    [
      "where the first argument has nothing",
      '{"new":{"list":[{"__proto__":{"x":1},"a":1}],"prototype":{"x":1}}}',
      { new: { list: [{ a: 1 }] } },
    ],
    ["in a list", '{"a":[{"constructor":{"prototype":{"x":1}}}]}', { a: [{}] }],
    ["in the first argument", "{}", { a: { b: 1 } }],
  ])("CONF-08: drops prototypes at every depth, %s", (_, over, expected) => {
    const under: object = JSON.parse('{"a":{"b":1,"__proto__":{"x":1}},"__proto__":{"x":1}}')
    const merged: object = merge(under, JSON.parse(over))
    expect(JSON.stringify(merged)).toBe(JSON.stringify({ a: { b: 1 }, ...expected }))
    expect(Reflect.get(Object.assign({}, merged), "x")).toBeUndefined()
  })

  it("keeps the identity of objects without such keys, and of instances", () => {
    class Sender {
      readonly prototype = 1
    }
    const [server, sender] = [{ host: "smtp.test" }, new Sender()]
    const merged = merge<Record<string, unknown>>({}, { server, sender })
    expect([merged["server"], merged["sender"]]).toEqual([server, sender])
    expect([merged["server"] === server, merged["sender"] === sender]).toEqual([true, true])
    const cyclic: Record<string, unknown> = { a: 1 }
    cyclic["self"] = cyclic
    expect(merge<Record<string, unknown>>({}, { cyclic })["cyclic"]).toBe(cyclic)
  })

  it("CONF-08: changes neither prototypes nor its arguments", () => {
    const before = Reflect.ownKeys(Object.prototype)
    fc.assert(
      fc.property(tree, tree, (base, over) => {
        deepFreeze(base)
        deepFreeze(over)
        const merged = merge(base, over)
        expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
        expect(merged).not.toBe(base)
        expect(Reflect.get({}, "a")).toBeUndefined()
        expect(Reflect.ownKeys(Object.prototype)).toEqual(before)
      }),
      { numRuns: 500 },
    )
  })

  it("takes each member from the second argument, or from the first if it is undefined there", () => {
    fc.assert(
      fc.property(tree.map(toClean), tree.map(toClean), (base, over) => {
        const merged = merge(base, over)
        for (const name of new Set([...Object.keys(base), ...Object.keys(over)])) {
          const [below, above]: unknown[] = [base, over].map(
            (side) => Object.getOwnPropertyDescriptor(side, name)?.value,
          )
          const expected = isTree(below) && isTree(above) ? merge(below, above) : (above ?? below)
          expect(Object.getOwnPropertyDescriptor(merged, name)?.value).toEqual(above === null ? null : expected)
        }
      }),
    )
  })

  it("CONF-08: holds no key by which a merge could reach a prototype, at any depth", () => {
    fc.assert(fc.property(tree, tree, (base, over) => !reachesPrototype(merge(base, over))))
  })

  it("merges plain objects recursively and replaces all other values", () => {
    const url = new URL("https://idp.test")
    const profile = () => ({})
    const base = {
      authorization: { url: "x", params: { scope: "a", prompt: "b" } },
      checks: ["pkce", "state"],
      style: 1,
    }
    const over = { authorization: { params: { scope: "c" } }, checks: ["nonce"], profile, style: { logo: "l" }, url }
    expect(merge<object>(base, over)).toStrictEqual({
      authorization: { url: "x", params: { scope: "c", prompt: "b" } },
      checks: ["nonce"],
      profile,
      style: { logo: "l" },
      url,
    })
    expect(Reflect.get(merge({ url: {} }, { url }), "url")).toBe(url)
  })

  it("keeps the first value for undefined, but not for null", () => {
    expect(merge({ a: 1, b: 2 }, { a: undefined, b: null })).toEqual({ a: 1, b: null })
    expect(merge({ a: { b: 1 } }, { a: { b: undefined, c: 2 } })).toEqual({ a: { b: 1, c: 2 } })
  })

  it("includes symbol keys", () => {
    const symbol = Symbol("x")
    expect(merge({ [symbol]: 1 }, {})).toEqual({ [symbol]: 1 })
    expect(merge({ [symbol]: 1 }, { [symbol]: 2 })).toEqual({ [symbol]: 2 })
    expect(merge({}, { [symbol]: 2 })).toEqual({ [symbol]: 2 })
  })

  it("copies the first argument if there is no second", () => {
    const base = { a: 1 }
    expect(merge(base, undefined)).toEqual(base)
    expect(merge(base, undefined)).not.toBe(base)
  })
})

function reachesPrototype(value: object): boolean {
  return Reflect.ownKeys(value).some((name) => {
    const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
    if (name === "__proto__") return true
    if (!isTree(member)) return false
    return name === "constructor" || name === "prototype" || reachesPrototype(member)
  })
}

/** The tree without the forbidden keys. */
function toClean(value: object): object {
  const names = Object.keys(value).filter((name) => !["__proto__", "constructor", "prototype"].includes(name))
  const toEntry = (name: string) => {
    const member: unknown = Reflect.get(value, name)
    return [name, isTree(member) ? toClean(member) : member] as const
  }
  return Object.fromEntries(names.map(toEntry))
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

describe("toDate", () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    ["2026-11-30 03:00:00", "2026-11-30T03:00:00.000Z"],
    ["2026-11-30T03:00:00", "2026-11-30T03:00:00.000Z"],
    ["2026-11-30 03:00", "2026-11-30T03:00:00.000Z"],
    ["2026-11-30 03:00:00.123456", "2026-11-30T03:00:00.123Z"],
    ["2026-11-30 03:00:00.5+01:00", "2026-11-30T02:00:00.500Z"],
    ["2026-11-30T03:00:00.000Z", "2026-11-30T03:00:00.000Z"],
    ["2026-11-30", "2026-11-30T00:00:00.000Z"],
    [Date.UTC(2026, 10, 30), "2026-11-30T00:00:00.000Z"],
    [new Date(Date.UTC(2026, 10, 30)), "2026-11-30T00:00:00.000Z"],
  ])("reads %s, in any time zone", (value, expected) => {
    vi.stubEnv("TZ", "America/New_York")
    expect(toDate(value).toISOString()).toBe(expected)
  })

  it.each(["", "soon", "2026-13-01 00:00:00", null, undefined, true, 1n, {}, [2026]])(
    "finds no date in %s",
    (value) => {
      expect(toDate(value).valueOf()).toBeNaN()
    },
  )
})
