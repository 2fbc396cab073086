import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { fromStored, readField, toHash, toStored } from "./stored-hash.js"

describe("toStored", () => {
  it("rejects values that cannot be restored and names the field", () => {
    for (const value of [Number.NaN, Number.NEGATIVE_INFINITY, 1n, () => 1, Symbol("x")]) {
      expect(() => toStored({ role: value })).toThrow("role must be a value that JSON supports")
    }
    expect(() => toStored({ expires: new Date(Number.NaN) })).toThrow("expires must be a valid date")
  })

  it("distinguishes types and leaves out undefined fields", () => {
    const record = { a: "1", b: 1, c: true, d: null, e: new Date(123), f: "@1970", g: { h: [] }, i: undefined }
    expect(toStored(record)).toEqual([
      ...[".a", '"1"', ".b", "1", ".c", "true", ".d", "null", ".e", "@1970-01-01T00:00:00.123Z", ".f", '"@1970"'],
      ...[".g", '{"h":[]}'],
    ])
  })
})

describe("a date of another realm", () => {
  it("is stored and restored as a date", () => {
    const at: unknown = runInNewContext("new Date(123)")
    expect(fromStored(toHash(toStored({ at })))).toStrictEqual({ at: new Date(123) })
  })
})

describe("fromStored", () => {
  it("returns the record without the adapter's own fields", () => {
    const record = { id: "ada", at: new Date(123), "": 1 }
    const hash = toHash([...toStored(record), "born", "x"])
    expect(fromStored(hash)).toStrictEqual(record)
    expect(readField(hash, "id")).toBe("ada")
    expect(readField(hash, "born")).toBeUndefined()
  })

  it("returns null for a missing key", () => {
    for (const nothing of [{}, [], null, undefined]) expect(fromStored(toHash(nothing))).toBeNull()
    expect(fromStored(toHash(["born", "x"]))).toBeNull()
  })
})

describe("toHash", () => {
  it("rejects buffers, which a client may be configured to return", () => {
    expect(() => toHash({ ".id": Buffer.from('"ada"') })).toThrow("must return strings")
    expect(() => toHash([".id", Buffer.from('"ada"')])).toThrow("must return strings")
  })
})
