import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readCookies, toCookieJar } from "./cookie-jar.js"

describe("the cookies of a request", () => {
  it("are looked up by own name only", () => {
    const jar = readCookies("__proto__=x; constructor=y; toString=z")
    expect(jar.get("__proto__")).toBe("x")
    expect(jar.get("constructor")).toBe("y")
    expect(jar.get("hasOwnProperty")).toBeUndefined()
    expect(readCookies(null).get("__proto__")).toBeUndefined()
    expect(toCookieJar(JSON.parse('{"__proto__":"x"}')).get("__proto__")).toBe("x")
    expect(toCookieJar({}).get("toString")).toBeUndefined()
  })

  it("keep a value whose percent-encoding is bad as it is", () => {
    const jar = readCookies("csrf=%E0%A4%A; s=%; t=100%25")
    expect([jar.get("csrf"), jar.get("s"), jar.get("t")]).toEqual(["%E0%A4%A", "%", "100%"])
  })

  it("are percent-decoded once", () => {
    expect(readCookies("a=%2541%20b").get("a")).toBe("%41 b")
  })

  it("lose their quotes and the white space around them", () => {
    const jar = readCookies(' a = "x y" ;\tb\t=\t2\t; c="; d=""; e=a"b"; f="%22"')
    const values = ["a", "b", "c", "d", "e", "f"].map((name) => jar.get(name))
    expect(values).toEqual(["x y", "2", '"', "", 'a"b"', '"'])
  })

  it("may hold equals signs, and need one", () => {
    const jar = readCookies("a=b=c==; lonely; =nameless; ;; =")
    expect(jar.get("a")).toBe("b=c==")
    expect(jar.get("lonely")).toBeUndefined()
    expect(jar.get("")).toBeUndefined()
    expect(jar.namesStarting("")).toEqual(["a"])
  })

  it("of one name are all kept, in the order of the header", () => {
    const jar = readCookies("s=first; t=1; s=%32nd; s=third")
    expect(jar.get("s")).toBe("first")
    expect(jar.values("s")).toEqual(["first", "2nd", "third"])
    expect(jar.values("absent")).toEqual([])
  })

  it("are found by the beginning of their name, each once", () => {
    expect(readCookies("b.2=x; a.1=x; b.1=x; b.2=y").namesStarting("b.")).toEqual(["b.2", "b.1"])
  })

  it("never throw, whatever the header holds", () => {
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
      fc.property(fc.oneof(fc.string({ unit: pieces }), fc.string({ unit: "binary" })), (header) => {
        const jar = readCookies(header)
        for (const name of [...jar.namesStarting(""), "__proto__", ""]) {
          expect(jar.get(name)).toBe(jar.values(name)[0])
        }
        expect(jar.namesStarting("")).not.toContain("")
      }),
    )
  })

  it("come back as they were written", () => {
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

describe("cookies that a framework has parsed", () => {
  it("are not decoded again, and count only when they are text", () => {
    const jar = toCookieJar({ a: "%41", b: { admin: true }, c: undefined })
    expect(jar.get("a")).toBe("%41")
    expect(jar.namesStarting("")).toEqual(["a"])
  })
})
