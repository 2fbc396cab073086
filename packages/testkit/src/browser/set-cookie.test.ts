import { describe, expect, it } from "vitest"
import { parseCookieDate } from "./set-cookie.js"

describe("parseCookieDate", () => {
  it.each([
    "",
    "tomorrow",
    "Thu, 01 Jan 1970",
    "Thu, 32 Jan 1970 00:00:00 GMT",
    "Thu, 31 Feb 2030 00:00:00 GMT",
    "Thu, 01 Jan 1500 00:00:00 GMT",
    "Thu, 01 Jan 2030 24:00:00 GMT",
  ])("rejects %j", (text) => {
    expect(parseCookieDate(text)).toBeUndefined()
  })

  it.each([
    ["Wed, 09 Jun 2027 10:18:14 GMT", "2027-06-09T10:18:14.000Z"],
    ["Wednesday, 09-Jun-27 10:18:14 GMT", "2027-06-09T10:18:14.000Z"],
    ["Wed Jun  9 10:18:14 2027", "2027-06-09T10:18:14.000Z"],
    ["1 jan 70 0:0:0", "1970-01-01T00:00:00.000Z"],
    ["1 jan 69 0:0:0", "2069-01-01T00:00:00.000Z"],
  ])("parses %j", (text, expected) => {
    expect(parseCookieDate(text)?.toISOString()).toBe(expected)
  })
})
