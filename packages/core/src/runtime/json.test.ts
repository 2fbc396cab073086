import { describe, expect, it } from "vitest"
import { isRecord, parseJson } from "./json.js"

it("isRecord accepts objects, and neither null nor arrays nor primitives", () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) expect(isRecord(value)).toBe(true)
  for (const value of [null, undefined, [], ["a"], "a", 1, true, () => ({})]) expect(isRecord(value)).toBe(false)
})

describe("parseJson", () => {
  it.each([
    ['{"a":1,"__proto__":{"x":1}}', { a: 1 }],
    ['{"a":[{"b":{"__proto__":{"x":1},"c":2}}]}', { a: [{ b: { c: 2 } }] }],
    ['{"\\u005f_proto__":{"x":1},"a":1}', { a: 1 }],
    ['{"constructor":{"prototype":{"x":1}},"a":{"prototype":{"x":1}}}', { a: {} }],
  ])("CONF-08: drops members by which a merge could reach a prototype: %s", (text, expected) => {
    const parsed: unknown = parseJson(text)
    expect(JSON.stringify(parsed)).toBe(JSON.stringify(expected))
    expect(Reflect.get(Object.assign({}, parsed), "x")).toBeUndefined()
  })

  it.each(['{"constructor":"Ferrari","prototype":true}', '{"protocol":"https","a":"\\u00e9"}', "[1,null]", '"text"'])(
    "keeps other members: %s",
    (text) => expect(parseJson(text)).toEqual(JSON.parse(text)),
  )

  it("returns any JSON value, and undefined for other text", () => {
    expect(['{"a":[1]}', "null", '"x"', "1"].map(parseJson)).toEqual([{ a: [1] }, null, "x", 1])
    const others = ["", "{", "undefined", "__proto__", "{'a':1}", '{"password":"hunter2"']
    expect(others.map(parseJson)).toEqual(Array(others.length).fill(undefined))
  })
})
