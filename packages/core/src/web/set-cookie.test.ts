import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { CookieSerializeOptions } from "../contract/cookies.js"
import { readCookies } from "./cookie-jar.js"
import { findCookieMistake, serializeCookie } from "./set-cookie.js"

const now = Date.UTC(2026, 0, 1)
const clock = () => now
const day = 24 * 60 * 60
const safe: CookieSerializeOptions = { httpOnly: true, sameSite: "lax", path: "/", secure: true }

function serialize(options: CookieSerializeOptions): string {
  return serializeCookie({ name: "s", value: "v", options }, clock)
}

describe("findCookieMistake", () => {
  it.each(["", "a;b", "a b", "a=b", "a,b", 'a"b', "a\r\nX", "ü", "a\0", "x".repeat(129)])(
    "refuses the name %o",
    (name) => {
      expect(findCookieMistake(name, safe)).toMatch(/^name /)
    },
  )

  it.each(["/;Domain=evil.test", "/\r\nX: y", "a", "", "/ü", "/\x7f"])("refuses the path %o", (path) => {
    expect(findCookieMistake("s", { ...safe, path })).toMatch(/^path /)
  })

  it.each(["evil.test\r\nX: y", "a;b", "a b", "", ".", "a..b", "ü.test", "a/b", "a:80"])(
    "refuses the domain %o",
    (domain) => {
      expect(findCookieMistake("s", { ...safe, domain })).toMatch(/^domain /)
    },
  )

  it.each([{ domain: "app.test" }, { path: "/a" }, { path: undefined }, { secure: false }])(
    "refuses the prefix __Host- with %o",
    (options) => {
      expect(findCookieMistake("__Host-x", { ...safe, ...options })).toContain("__Host-")
      expect(findCookieMistake("__hOST-x", { ...safe, ...options })).toContain("__Host-")
    },
  )

  it("refuses what browsers drop unless it is secure", () => {
    const insecure = { ...safe, secure: false }
    expect(findCookieMistake("__Secure-x", insecure)).toContain("__Secure-")
    expect(findCookieMistake("s", { ...insecure, sameSite: "none" })).toContain("sameSite")
    expect(findCookieMistake("s", { ...insecure, partitioned: true })).toContain("partitioned")
  })

  it.each([{ sameSite: "Lax; Domain=evil.test" }, { priority: "high; Domain=evil.test" }, { sameSite: "" }])(
    "refuses the unknown attribute %o",
    (options) => {
      // Planted: values that the types refuse, as a host without types may write them.
      expect(findCookieMistake("s", { ...safe, ...options } as CookieSerializeOptions)).toMatch(/^(sameSite|priority) /)
    },
  )

  it("accepts what works", () => {
    expect(findCookieMistake("__Secure-authjs.session-token", safe)).toBeNull()
    expect(findCookieMistake("__Host-x", safe)).toBeNull()
    expect(findCookieMistake("s", {})).toBeNull()
    expect(findCookieMistake("s", { ...safe, domain: ".app.test", path: "/a/b%20c", priority: "high" })).toBeNull()
    expect(findCookieMistake("s", { secure: true, sameSite: "none", partitioned: true })).toBeNull()
    expect(findCookieMistake("s", { sameSite: false, secure: false })).toBeNull()
  })
})

describe("serializeCookie", () => {
  it("limits the lifetime to 400 days", () => {
    expect(serialize({ maxAge: 3650 * day })).toBe(`s=v; Max-Age=${400 * day}`)
    expect(serialize({ maxAge: Number.POSITIVE_INFINITY })).toBe(`s=v; Max-Age=${400 * day}`)
    expect(serialize({ expires: new Date(now + 3650 * day * 1000) })).toBe("s=v; Expires=Fri, 05 Feb 2027 00:00:00 GMT")
  })

  it("leaves out what is not a time, and never writes a negative one", () => {
    expect(serialize({ maxAge: Number.NaN, expires: new Date(Number.NaN) })).toBe("s=v")
    expect(serialize({ maxAge: -1 })).toBe("s=v; Max-Age=0")
    expect(serialize({ maxAge: 1.9 })).toBe("s=v; Max-Age=1")
  })

  it("writes every attribute", () => {
    const expires = new Date(now + 900_000)
    expect(serialize({ ...safe, domain: "app.test", maxAge: 900, expires, partitioned: true, priority: "high" })).toBe(
      "s=v; Max-Age=900; Domain=app.test; Path=/; Expires=Thu, 01 Jan 2026 00:15:00 GMT; HttpOnly; Secure; SameSite=Lax; Partitioned; Priority=High",
    )
    expect(serialize({ sameSite: true })).toBe("s=v; SameSite=Strict")
    expect(serialize({ sameSite: "none" })).toBe("s=v; SameSite=None")
    expect(serialize({ sameSite: false, httpOnly: false, secure: false })).toBe("s=v")
  })

  it("encodes any value so that it comes back and cannot leave its place", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom("\uD800", "\uDC00", ";", "\n") })),
        (value) => {
          const text = serializeCookie({ name: "s", value, options: {} })
          expect(text).toMatch(/^s=[\w.~!*'()%-]*$/)
          expect(readCookies(text).get("s")).toBe(value.toWellFormed())
        },
      ),
    )
  })
})
