import { describe, expect, it } from "vitest"
import type { Column, ColumnKind } from "../tables/column.js"
import { fromColumn, toParameter } from "./column-value.js"
import { getDialect } from "./resolve-dialect.js"

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
  ] as const)("refuses for a %s column: %j", (kind, value) => {
    expect(() => toParameter(value, column(kind), sqlite)).toThrow(/^thing must be an? /)
  })

  it("says nothing of the value that it refuses", () => {
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

  it("writes booleans as they are where the database has them", () => {
    expect(toParameter(true, column("boolean"), getDialect("postgres"))).toBe(true)
  })
})

describe("fromColumn", () => {
  it("names the field whose date cannot be read", () => {
    expect(() => fromColumn("soon", column("date"))).toThrow("thing holds no date that can be read")
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
