import { afterEach, describe, expect, it, vi } from "vitest"
import { toDate } from "./json.js"

describe("toDate", () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    ["2026-11-30 03:00:00.123", "2026-11-30T03:00:00.123Z"],
    ["2026-11-30T03:00:00", "2026-11-30T03:00:00.000Z"],
    ["2026-11-30T03:00:00+01:00", "2026-11-30T02:00:00.000Z"],
    ["1970-01-02T00:00:00Z", "1970-01-02T00:00:00.000Z"],
    [1_796_007_600, "2026-11-30T03:00:00.000Z"],
    [1_796_007_600_000, "2026-11-30T03:00:00.000Z"],
  ])("reads %s, in any time zone", (value, expected) => {
    vi.stubEnv("TZ", "America/New_York")
    expect(toDate(value)?.toISOString()).toBe(expected)
  })

  it.each(["soon", "2026-13-01 00:00:00", Number.NaN, null, {}])("finds no time in %s", (value) => {
    expect(toDate(value)).toBeUndefined()
  })
})
