import { runInNewContext } from "node:vm"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Column, ColumnKind } from "../tables/table.js"
import { fromColumn, parseSqlDate, toParameter } from "./column-value.js"
import { getDialect } from "./dialect.js"

const column = (kind: ColumnKind): Column => ({ field: "thing", name: "thing", kind, presence: "nullable" })
const sqlite = getDialect("sqlite")

describe("toParameter", () => {
  it.each([
    ["text", { $gt: "" }],
    ["text", ["secret"]],
    ["key", true],
    ["number", "12"],
    ["number", Number.NaN],
    ["number", Number.POSITIVE_INFINITY],
    ["boolean", 1],
    ["date", "2025-01-02T03:04:05.678Z"],
    ["date", new Date(Number.NaN)],
    ["date", 0],
  ] as const)("rejects for a %s column: %j", (kind, value) => {
    expect(() => toParameter(value, column(kind), sqlite)).toThrow(/^thing must be an? /)
  })

  it("stores a date of another realm", () => {
    const date: unknown = runInNewContext("new Date(1735787045678)")
    expect(toParameter(date, column("date"), sqlite)).toBe("2025-01-02T03:04:05.678Z")
    expect(fromColumn(date, column("date"))).toEqual(new Date(1735787045678))
  })

  it("does not repeat the rejected value", () => {
    expect(() => toParameter(["hunter2"], column("text"), sqlite)).toThrow(/^(?!.*hunter2)/)
  })

  it.each([
    ["text", 42, "42"],
    ["key", 42n, "42"],
    ["number", 42, 42],
    ["boolean", true, 1],
    ["boolean", false, 0],
    ["date", new Date(678), "1970-01-01T00:00:00.678Z"],
    ["date", null, null],
    ["text", undefined, null],
  ] as const)("writes to a %s column: %s", (kind, value, expected) => {
    expect(toParameter(value, column(kind), sqlite)).toBe(expected)
  })

  it("writes booleans if the database supports them", () => {
    expect(toParameter(true, column("boolean"), getDialect("postgres"))).toBe(true)
  })
})

describe("fromColumn", () => {
  it("names the field with an invalid date", () => {
    expect(() => fromColumn("soon", column("date"))).toThrow("thing contains no valid date")
  })

  it.each([
    ["key", 42, "42"],
    ["number", "4294967295", 4294967295],
    ["number", 7n, 7],
    ["boolean", 0, false],
    ["boolean", 1n, true],
    ["boolean", "1", true],
    ["boolean", false, false],
    ["boolean", true, true],
    ["text", undefined, null],
  ] as const)("reads from a %s column: %s", (kind, value, expected) => {
    expect(fromColumn(value, column(kind))).toBe(expected)
  })
})

const instants = fc.date({
  min: new Date("0001-01-01T00:00:00.000Z"),
  max: new Date("9999-12-31T23:59:59.999Z"),
  noInvalidDate: true,
})

describe("parseSqlDate", () => {
  it.each(["", "soon", "2025-13-01 00:00:00", "2025-01-01T25:00:00.000Z", Number.NaN, null, undefined, {}, true])(
    "rejects %j",
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
  ])("parses %s", (value, expected) => {
    expect(parseSqlDate(value).toISOString()).toBe(expected)
  })

  it("returns a new Date, never the driver's", () => {
    const date = new Date()
    expect(parseSqlDate(date)).not.toBe(date)
  })

  it.each(["sqlite", "postgres", "mysql"] as const)("parses every instant as it is written for %s", (kind) => {
    const { toDateParameter } = getDialect(kind)
    fc.assert(
      fc.property(instants, (instant) => {
        expect(parseSqlDate(toDateParameter(instant))).toEqual(instant)
      }),
    )
  })

  it("sorts SQLite's text in chronological order", () => {
    const { toDateParameter } = getDialect("sqlite")
    fc.assert(
      fc.property(instants, instants, (one, other) => {
        expect(toDateParameter(one) < toDateParameter(other)).toBe(one.getTime() < other.getTime())
      }),
    )
  })
})
