import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { getDialect } from "./resolve-dialect.js"
import { parseSqlDate } from "./sql-date.js"

const instants = fc.date({
  min: new Date("0001-01-01T00:00:00.000Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
})

describe("parseSqlDate", () => {
  it.each(["", "soon", "2025-13-01 00:00:00", "2025-01-01T25:00:00.000Z", Number.NaN, null, undefined, {}, true])(
    "refuses %j",
    (value) => {
      expect(() => parseSqlDate(value)).toThrow(TypeError)
    },
  )

  it.each([
    ["2025-01-02T03:04:05.678Z", "2025-01-02T03:04:05.678Z"],
    ["2025-01-02T03:04:05Z", "2025-01-02T03:04:05.000Z"],
    ["2025-01-02 03:04:05.678+00", "2025-01-02T03:04:05.678Z"],
    ["2025-01-02 03:04:05.678901", "2025-01-02T03:04:05.678Z"],
    ["2025-01-02 03:04:05", "2025-01-02T03:04:05.000Z"],
    ["2025-01-02 03:04:05.6+05:30", "2025-01-01T21:34:05.600Z"],
    ["2025-01-02 03:04:05-0330", "2025-01-02T06:34:05.000Z"],
    ["1735787045678", "2025-01-02T03:04:05.678Z"],
    [1735787045678, "2025-01-02T03:04:05.678Z"],
    [1735787045678n, "2025-01-02T03:04:05.678Z"],
    [new Date(1735787045678), "2025-01-02T03:04:05.678Z"],
    ["0001-02-03T04:05:06.007Z", "0001-02-03T04:05:06.007Z"],
    ["+010000-01-01T00:00:00.000Z", "+010000-01-01T00:00:00.000Z"],
  ])("reads %s", (value, expected) => {
    expect(parseSqlDate(value).toISOString()).toBe(expected)
  })

  it("gives a date of its own, so that the driver's is not shared", () => {
    const date = new Date()
    expect(parseSqlDate(date)).not.toBe(date)
  })

  it.each(["sqlite", "postgres", "mysql"] as const)("reads every instant as it is written for %s", (kind) => {
    const { toDateParameter } = getDialect(kind)
    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseSqlDate(toDateParameter(instant))).toEqual(instant)
      }),
    )
  })

  it("keeps the order of instants in the order of SQLite's text", () => {
    const { toDateParameter } = getDialect("sqlite")
    fc.assert(
      fc.property(instants, instants, (one, other) => {
        expect(toDateParameter(one) < toDateParameter(other)).toBe(one.getTime() < other.getTime())
      }),
    )
  })
})
