import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import type { CookieSerializeOptions } from "../types/http.js"
import { clearedCookie, readCookies, serializeCookie, toCookieJar, validateCookie } from "./cookies.js"

it("clearedCookie keeps name and attributes, without a value and with lifetime 0", () => {
  const options = { path: "/a", domain: "app.test", secure: true, maxAge: 900, expires: new Date(0) } as const
  expect(clearedCookie({ name: "__Secure-a", options })).toStrictEqual({
    name: "__Secure-a",
    value: "",
    options: { path: "/a", domain: "app.test", secure: true, maxAge: 0 },
  })
  expect(options.maxAge).toBe(900)
})

describe("readCookies", () => {
  it("finds own names only", () => {
    const jar = readCookies("__proto__=x; constructor=y; toString=z")
    expect(jar.get("__proto__")).toBe("x")
    expect(jar.get("constructor")).toBe("y")
    expect(jar.get("hasOwnProperty")).toBeUndefined()
    expect(readCookies(null).get("__proto__")).toBeUndefined()
    expect(toCookieJar(JSON.parse('{"__proto__":"x"}')).get("__proto__")).toBe("x")
    expect(toCookieJar({}).get("toString")).toBeUndefined()
  })

  it("keeps a value with invalid percent-encoding as it is", () => {
    const jar = readCookies("csrf=%E0%A4%A; s=%; t=100%25")
    expect([jar.get("csrf"), jar.get("s"), jar.get("t")]).toEqual(["%E0%A4%A", "%", "100%"])
  })

  it("decodes values once", () => {
    expect(readCookies("a=%2541%20b").get("a")).toBe("%41 b")
  })

  it("removes quotes and surrounding white space", () => {
    const jar = readCookies(' a = "x y" ;\tb\t=\t2\t; c="; d=""; e=a"b"; f="%22"')
    const values = ["a", "b", "c", "d", "e", "f"].map((name) => jar.get(name))
    expect(values).toEqual(["x y", "2", '"', "", 'a"b"', '"'])
  })

  it("accepts values with equals signs, and ignores pairs without one", () => {
    const jar = readCookies("a=b=c==; lonely; =nameless; ;; =")
    expect(jar.get("a")).toBe("b=c==")
    expect(jar.get("lonely")).toBeUndefined()
    expect(jar.get("")).toBeUndefined()
    expect(jar.namesStarting("")).toEqual(["a"])
  })

  it("keeps all values of a name in the order of the header", () => {
    const jar = readCookies("s=first; t=1; s=%32nd; s=third")
    expect(jar.get("s")).toBe("first")
    expect(jar.values("s")).toEqual(["first", "2nd", "third"])
    expect(jar.values("absent")).toEqual([])
  })

  it("lists the names with a prefix, each once", () => {
    expect(readCookies("b.2=x; a.1=x; b.1=x; b.2=y").namesStarting("b.")).toEqual(["b.2", "b.1"])
  })

  it("never throws for any header", () => {
    const pieces = fc.constantFrom(
      ";",
      "=",
      " ",
      "\t",
      '"',
      "%",
      "%41",
      "%E0",
      "a",
      "__proto__",
      ",",
      "\0",
      "é",
      "\uD800",
    )
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: pieces }), fc.string({ unit: anyCharacter })), (header) => {
        const jar = readCookies(header)
        for (const name of [...jar.namesStarting(""), "__proto__", ""]) {
          expect(jar.get(name)).toBe(jar.values(name)[0])
        }
        expect(jar.namesStarting("")).not.toContain("")
      }),
    )
  })

  it("reads what encodeCookieValue writes", () => {
    const name = fc.string({ unit: fc.constantFrom(..."abcXYZ019!#$&'*+-.^_`|~"), minLength: 1 })
    const pairs = fc.array(fc.tuple(name, fc.string({ unit: "grapheme" })))
    fc.assert(
      fc.property(pairs, (cookies) => {
        const jar = readCookies(cookies.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("; "))
        for (const [name] of cookies) {
          expect(jar.values(name)).toEqual(cookies.filter(([other]) => other === name).map(([, value]) => value))
        }
      }),
    )
  })
})

describe("toCookieJar", () => {
  it("does not decode again, and drops values that are not text", () => {
    const jar = toCookieJar({ a: "%41", b: { admin: true }, c: undefined })
    expect(jar.get("a")).toBe("%41")
    expect(jar.namesStarting("")).toEqual(["a"])
  })
})

const now = Date.UTC(2026, 0, 1)
const clock = () => now
const day = 24 * 60 * 60
const safe: CookieSerializeOptions = { httpOnly: true, sameSite: "lax", path: "/", secure: true }

function serialize(options: CookieSerializeOptions): string {
  return serializeCookie({ name: "s", value: "v", options }, clock)
}

describe("validateCookie", () => {
  it.each(["", "a;b", "a b", "a=b", "a,b", 'a"b', "a\r\nX", "ü", "a\0", "x".repeat(129)])(
    "refuses the name %o",
    (name) => {
      expect(validateCookie(name, safe)).toMatch(/^name /)
    },
  )

  it.each(["/;Domain=evil.test", "/\r\nX: y", "a", "", "/ü", "/\x7f"])("refuses the path %o", (path) => {
    expect(validateCookie("s", { ...safe, path })).toMatch(/^path /)
  })

  it.each(["evil.test\r\nX: y", "a;b", "a b", ".", "a..b", "ü.test", "a/b", "a:80"])(
    "refuses the domain %o",
    (domain) => {
      expect(validateCookie("s", { ...safe, domain })).toMatch(/^domain /)
    },
  )

  it.each([{ domain: "app.test" }, { path: "/a" }, { path: undefined }, { secure: false }])(
    "refuses the prefix __Host- with %o",
    (options) => {
      expect(validateCookie("__Host-x", { ...safe, ...options })).toContain("__Host-")
      expect(validateCookie("__hOST-x", { ...safe, ...options })).toContain("__Host-")
    },
  )

  it("refuses combinations that browsers drop without secure", () => {
    const insecure = { ...safe, secure: false }
    expect(validateCookie("__Secure-x", insecure)).toContain("__Secure-")
    expect(validateCookie("s", { ...insecure, sameSite: "none" })).toContain("sameSite")
    expect(validateCookie("s", { ...insecure, partitioned: true })).toContain("partitioned")
  })

  it.each([{ sameSite: "Lax; Domain=evil.test" }, { priority: "high; Domain=evil.test" }, { sameSite: "" }])(
    "refuses the unknown attribute %o",
    (options) => {
      // Values that the types reject, but plain JavaScript may pass.
      expect(validateCookie("s", { ...safe, ...options } as CookieSerializeOptions)).toMatch(/^(sameSite|priority) /)
    },
  )

  it("accepts valid cookies", () => {
    expect(validateCookie("__Secure-authjs.session-token", safe)).toBeNull()
    expect(validateCookie("__Host-x", safe)).toBeNull()
    expect(validateCookie("s", {})).toBeNull()
    expect(validateCookie("s", { ...safe, domain: ".app.test", path: "/a/b%20c", priority: "high" })).toBeNull()
    expect(validateCookie("s", { secure: true, sameSite: "none", partitioned: true })).toBeNull()
    expect(validateCookie("s", { sameSite: false, secure: false })).toBeNull()
    expect(validateCookie("__Host-x", { ...safe, domain: "" })).toBeNull()
  })
})

describe("serializeCookie", () => {
  it("limits the lifetime to 400 days", () => {
    expect(serialize({ maxAge: 3650 * day })).toBe(`s=v; Max-Age=${400 * day}`)
    expect(serialize({ maxAge: Number.POSITIVE_INFINITY })).toBe(`s=v; Max-Age=${400 * day}`)
    expect(serialize({ expires: new Date(now + 3650 * day * 1000) })).toBe("s=v; Expires=Fri, 05 Feb 2027 00:00:00 GMT")
  })

  it("omits invalid lifetimes and never writes a negative one", () => {
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
    expect(serialize({ domain: "" })).toBe("s=v")
    expect(serialize({ sameSite: false, httpOnly: false, secure: false })).toBe("s=v")
  })

  it("encodes any value so that it can be read back and adds no attribute", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyCharacter }),
          fc.string({ unit: fc.constantFrom("\uD800", "\uDC00", ";", "\n") }),
        ),
        (value) => {
          const text = serializeCookie({ name: "s", value, options: {} })
          expect(text).toMatch(/^s=[\w.~!*'()%-]*$/)
          expect(readCookies(text).get("s")).toBe(value.toWellFormed())
        },
      ),
    )
  })
})
