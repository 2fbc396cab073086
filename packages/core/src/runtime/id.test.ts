import { describe, expect, it } from "vitest"
import { ObjectId } from "../../test/setup/class-users.js"
import { isSameId, toIdText } from "./id.js"

describe("the text of an id", () => {
  it.each<[unknown, string]>([
    ["u-v", "u-v"],
    [7, "7"],
    [0, "0"],
    [12345678901234567890n, "12345678901234567890"],
    [new ObjectId("64f1"), "64f1"],
  ])("is that of %s", (id, text) => {
    expect(toIdText(id)).toBe(text)
  })

  it.each([undefined, null, "", true, Number.NaN, {}, ["7"], Buffer.from([255]), Object.create(null)])(
    "is empty if the value does not identify anything: %s",
    (id) => {
      expect(toIdText(id)).toBe("")
    },
  )
})

describe("two ids", () => {
  it.each<[unknown, unknown]>([
    ["u-v", "u-v"],
    [new ObjectId("64f1"), new ObjectId("64f1")],
    [new ObjectId("64f1"), "64f1"],
    [7n, 7],
  ])("are the same: %s and %s", (one, other) => {
    expect(isSameId(one, other)).toBe(true)
  })

  it.each<[unknown, unknown]>([
    ["u-v", "u-w"],
    [new ObjectId("64f1"), new ObjectId("64f2")],
    [undefined, "u-v"],
    [undefined, null],
    [{}, {}],
    // Both have the replacement character as text.
    [Buffer.from([255]), Buffer.from([254])],
  ])("are not the same: %s and %s", (one, other) => {
    expect(isSameId(one, other)).toBe(false)
  })
})
