import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { withQuery } from "./with-query.js"

describe("withQuery", () => {
  it("URL-14: adds one parameter, whatever its value holds", () => {
    const url = withQuery("/err", { error: "x&callbackUrl=https://evil.test#" })
    const { searchParams, hash } = new URL(url, "https://app.test")
    expect([...searchParams]).toEqual([["error", "x&callbackUrl=https://evil.test#"]])
    expect(hash).toBe("")
  })

  it.each([
    ["/err", "/err?error=a"],
    ["/err?lang=de", "/err?lang=de&error=a"],
    ["/err?", "/err?&error=a"],
    ["/err#top", "/err?error=a#top"],
    ["/err?lang=de#top#x", "/err?lang=de&error=a#top#x"],
    ["/err#top?x", "/err?error=a#top?x"],
    ["https://help.test/x", "https://help.test/x?error=a"],
  ])("extends %s to %s", (address, expected) => {
    expect(withQuery(address, { error: "a", code: undefined })).toBe(expected)
  })

  it("leaves an address alone when there is nothing to add", () => {
    expect(withQuery("/err?#x", {})).toBe("/err?#x")
    expect(withQuery("/err", { error: undefined })).toBe("/err")
  })

  it("keeps what stood there and adds what was given, for any text", () => {
    const text = fc.string({ unit: "binary" }).map((value) => value.toWellFormed())
    const page = fc.webUrl({ withQueryParameters: true, withFragments: true })
    fc.assert(
      fc.property(page, fc.record({ error: text, callbackUrl: text }), (address, query) => {
        const before = new URL(address)
        const after = new URL(withQuery(address, query))
        expect([...after.searchParams]).toEqual([...before.searchParams, ...Object.entries(query)])
        expect(after.origin + after.pathname + after.hash).toBe(before.origin + before.pathname + before.hash)
      }),
    )
  })
})
