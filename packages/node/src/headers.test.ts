import { describe, expect, it } from "vitest"
import { fromNodeHeaders } from "./headers.js"

describe("fromNodeHeaders", () => {
  it("leaves out pseudo-headers and what is not there", () => {
    const headers = fromNodeHeaders({ ":path": "/x", ":authority": "app.test", accept: undefined, host: "app.test" })
    expect([...headers]).toEqual([["host", "app.test"]])
  })

  it("keeps each of several values", () => {
    const headers = fromNodeHeaders({
      "set-cookie": ["a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "b=2"],
      "x-list": "1, 2",
    })
    expect(headers.getSetCookie()).toEqual(["a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT", "b=2"])
    expect(headers.get("x-list")).toBe("1, 2")
  })
})
