import { expect, it } from "vitest"
import { isRecord, parseJson } from "./json.js"

it("isRecord accepts objects, and neither null nor arrays nor primitives", () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) expect(isRecord(value)).toBe(true)
  for (const value of [null, undefined, [], ["a"], "a", 1, true, () => ({})]) expect(isRecord(value)).toBe(false)
})

it("parseJson returns any JSON value, and undefined for other text", () => {
  expect(['{"a":[1]}', "null", '"x"', "1"].map(parseJson)).toEqual([{ a: [1] }, null, "x", 1])
  expect(["", "{", "undefined", "{'a':1}", '{"password":"hunter2"'].map(parseJson)).toEqual(Array(5).fill(undefined))
})
