import { describe, expect, it } from "vitest"
import { parseJson } from "./json.js"

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

  it("returns undefined for text that is not JSON", () => {
    expect([parseJson(""), parseJson("{"), parseJson("__proto__")]).toEqual([undefined, undefined, undefined])
  })
})
