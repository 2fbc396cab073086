import { describe, expect, it } from "vitest"
import { fromStored, readField, toHash, toStored } from "./stored-hash.js"

describe("toStored", () => {
  it("refuses what cannot be read again, and says in which field", () => {
    for (const value of [Number.NaN, Number.NEGATIVE_INFINITY, 1n, () => 1, Symbol("x")]) {
      expect(() => toStored({ role: value })).toThrow("role holds what JSON cannot")
    }
    expect(() => toStored({ expires: new Date(Number.NaN) })).toThrow("expires holds no date")
  })

  it("keeps types apart, and leaves out what is undefined", () => {
    const record = { a: "1", b: 1, c: true, d: null, e: new Date(123), f: "@1970", g: { h: [] }, i: undefined }
    expect(toStored(record)).toEqual([
      ...[".a", '"1"', ".b", "1", ".c", "true", ".d", "null", ".e", "@1970-01-01T00:00:00.123Z", ".f", '"@1970"'],
      ...[".g", '{"h":[]}'],
    ])
  })
})

describe("fromStored", () => {
  it("gives the record without the adapter's notes", () => {
    const record = { id: "ada", at: new Date(123), "": 1 }
    const hash = toHash([...toStored(record), "born", "x"])
    expect(fromStored(hash)).toStrictEqual(record)
    expect(readField(hash, "id")).toBe("ada")
    expect(readField(hash, "born")).toBeUndefined()
  })

  it("gives null for a key that is not there", () => {
    for (const nothing of [{}, [], null, undefined]) expect(fromStored(toHash(nothing))).toBeNull()
    expect(fromStored(toHash(["born", "x"]))).toBeNull()
  })
})

describe("toHash", () => {
  it("refuses bytes, which a client may be told to give", () => {
    expect(() => toHash({ ".id": Buffer.from('"ada"') })).toThrow("must give text")
    expect(() => toHash([".id", Buffer.from('"ada"')])).toThrow("must give text")
  })
})
