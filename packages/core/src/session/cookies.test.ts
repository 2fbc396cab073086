import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { JWTSessionError } from "../errors/errors.js"
import { type CookieJar, readCookies, serializeCookie } from "../http/cookies.js"
import type { ResponseCookie } from "../types/http.js"
import { clearSessionCookies, readSessionCookies, writeSessionCookies } from "./cookies.js"

const name = "__Secure-authjs.session-token"
const options = {
  httpOnly: true,
  sameSite: "lax",
  path: "/a",
  domain: "app.test",
  secure: true,
  partitioned: true,
} as const
const { domain: _, ...hostOnly } = options
const empty = readCookies(null)

function toJar(...cookies: readonly (readonly [name: string, value: string])[]): CookieJar {
  return readCookies(cookies.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("; "))
}

/** The jar of a browser that keeps what is set and drops what is cleared. */
function keep(cookies: readonly ResponseCookie[]): CookieJar {
  return readCookies(
    cookies
      .filter(({ options }) => options.maxAge !== 0)
      .map((cookie) => serializeCookie({ ...cookie, options: {} }))
      .join("; "),
  )
}

function readLikeliest(jar: CookieJar, name: string): string | undefined {
  return readSessionCookies(jar, name)[0]
}

function write(value: string, jar: CookieJar = empty): readonly ResponseCookie[] {
  return writeSessionCookies({ name, value, options }, jar, 20)
}

describe("a session cookie", () => {
  it("is rejected when it needs more than 20 chunks", () => {
    expect(() => write("x".repeat(20 * 3936 + 1))).toThrow(JWTSessionError)
    expect(() => write("é".repeat(20 * 656 + 1))).toThrow(JWTSessionError)
    expect(write("x".repeat(20 * 3936))).toHaveLength(20)
  })

  it("is rejected when it needs more chunks than the app allows, by default more than 10 KiB, with the way out", () => {
    const value = "x".repeat(10_240)
    expect(() => writeSessionCookies({ name, value, options }, empty, 2)).toThrow(JWTSessionError)
    expect(writeSessionCookies({ name, value, options }, empty, 3)).toHaveLength(3)
    expect(writeSessionCookies({ name, value, options }, empty)).toHaveLength(3)
    expect(() => writeSessionCookies({ name, value: `${value}x`, options }, empty)).toThrow(
      "The session has 10241 characters, but its cookies may have 10240. Put less into the token that callbacks.jwt returns, or store sessions in a database (session.strategy). If every server and proxy in front accepts larger headers, raise requestLimits.sessionChunks",
    )
  })

  it("is read with up to 20 chunks, so that a lower limit ends no session", () => {
    const value = "x".repeat(20 * 3936)
    expect(readSessionCookies(keep(write(value)), name)).toEqual([value])
  })

  it("is cleared with all its chunks, also when the app allows fewer than before", () => {
    const jar = keep(write("x".repeat(9 * 3936)))
    const written = writeSessionCookies({ name, value: "short", options }, jar, 1)
    expect(written.map((cookie) => cookie.name)).toEqual([name, ...Array.from({ length: 9 }, (_, n) => `${name}.${n}`)])
  })

  it("is split when it has more than 3936 characters", () => {
    expect(write("x".repeat(3936))).toEqual([{ name, value: "x".repeat(3936), options }])
    expect(write("x".repeat(3937))).toEqual([
      { name: `${name}.0`, value: "x".repeat(3936), options },
      { name: `${name}.1`, value: "x", options },
    ])
  })

  it("survives a round trip with any content, each cookie within 4096 characters", () => {
    const unit = fc.constantFrom("x".repeat(700), "é".repeat(150), "🦊".repeat(90), '%;=" ', "ab", "\n")
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), (parts) => {
        const value = parts.join("")
        fc.pre(value !== "" && encodeURIComponent(value).length <= 15 * 3936)
        const cookies = write(value)
        expect(readLikeliest(keep(cookies), name)).toBe(value)
        for (const { name, value } of cookies) {
          expect(encodeURIComponent(value).length).toBeLessThanOrEqual(3936)
          expect(name.length + encodeURIComponent(value).length).toBeLessThanOrEqual(4096)
        }
      }),
    )
  })

  it("is read in numeric order, not in the order of the header", () => {
    const chunks = Array.from({ length: 12 }, (_, n) => [`${name}.${n}`, `<${n}>`] as const)
    const whole = chunks.map(([, value]) => value).join("")
    fc.assert(
      fc.property(fc.shuffledSubarray(chunks, { minLength: 12 }), (shuffled) => {
        expect(readLikeliest(toJar(...shuffled), name)).toBe(whole)
      }),
    )
  })

  it("is not affected by cookies whose names only start like its own", () => {
    const suffix = fc
      .oneof(
        fc.constantFrom("X", ".", ".x", ".01", ".00", ".-1", ".1e1", ".0x0", ".0.0", "-0"),
        fc.string({ unit: fc.constantFrom(..."._ax") }),
      )
      .filter((text) => text !== "" && !/^\.(0|[1-9]\d*)$/.test(text))
    fc.assert(
      fc.property(fc.array(suffix), fc.boolean(), (suffixes, isChunked) => {
        const own = isChunked
          ? [[`${name}.0`, "va"] as const, [`${name}.1`, "lue"] as const]
          : [[name, "value"] as const]
        const jar = toJar(...suffixes.map((text) => [`${name}${text}`, "zzz"] as const), ...own)
        expect(readLikeliest(jar, name)).toBe("value")
        expect(clearSessionCookies(jar, { name, options: hostOnly }).map((cookie) => cookie.name)).toEqual(
          own.map(([each]) => each),
        )
      }),
    )
  })

  it("wins over chunks and is never joined with them", () => {
    const jar = toJar([`${name}.0`, "zzz"], [name, "value"], [`${name}.1`, "zzz"])
    expect(readLikeliest(jar, name)).toBe("value")
    expect(readSessionCookies(jar, name)).toEqual(["value", "zzzzzz", "zzz"])
  })

  it("is read only as a gapless sequence from 0", () => {
    expect(readLikeliest(toJar([`${name}.1`, "b"], [`${name}.2`, "c"]), name)).toBeUndefined()
    expect(readLikeliest(toJar([`${name}.0`, "a"], [`${name}.2`, "c"]), name)).toBe("a")
    expect(readLikeliest(empty, name)).toBeUndefined()
  })

  it("is rejected with more than 20 chunks, and clears only those and itself", () => {
    const thousands = Array.from({ length: 5000 }, (_, n) => [`${name}.${n}`, "x"] as const)
    const jar = toJar([name, ""], ...thousands)
    expect(readLikeliest(jar, name)).toBeUndefined()
    expect(readSessionCookies(jar, name)).toEqual([])
    expect(clearSessionCookies(jar, { name, options: hostOnly })).toHaveLength(21)
    expect(readLikeliest(toJar(...thousands.slice(0, 20)), name)).toBe("x".repeat(20))
  })

  it("that is sent twice yields each distinct value in header order", () => {
    expect(readSessionCookies(toJar([name, "bad"], [name, "good"], [name, "bad"]), name)).toEqual(["bad", "good"])
    expect(readSessionCookies(toJar([name, ""]), name)).toEqual([])
  })

  it("COOK-08: is found behind any number of cookies with longer paths, and among those of parent domains", () => {
    const planted = Array.from({ length: 170 }, (_, n) => [name, `${n}`] as const)
    const parents = [[name, "parent"] as const, [name, "grandparent"] as const]
    const found = readSessionCookies(toJar(...planted, [name, "own"], ...parents), name)
    expect(found.slice(-3)).toEqual(["own", "parent", "grandparent"])
    expect(found).toHaveLength(16)
  })

  it("COOK-07: is joined from its own chunks beside planted ones with longer paths or of a parent domain", () => {
    const [first = "", second = "", third = ""] = ["a".repeat(3936), "b".repeat(3936), "c"]
    const own = [[`${name}.0`, first] as const, [`${name}.1`, second] as const, [`${name}.2`, third] as const]
    for (const n of [0, 1, 2]) {
      const planted = [`${name}.${n}`, "zzz"] as const
      for (const cookies of [
        [planted, ...own],
        [...own, planted],
        [...Array(9).fill(planted), ...own, planted],
      ]) {
        expect(readSessionCookies(toJar(...cookies), name)).toContain(first + second + third)
      }
    }
    const longer = own.map(([each]) => [each, "longer path"] as const)
    const parent = own.map(([each]) => [each, "parent"] as const)
    expect(readSessionCookies(toJar(...longer, ...own, ...parent), name)).toContain(first + second + third)
  })

  it("COOK-07: ends where its last chunk does, whatever is planted behind", () => {
    const value = "x".repeat(3936 + 5)
    const planted = [2, 3, 4].map((n) => [`${name}.${n}`, "y".repeat(3936)] as const)
    const jar = toJar([`${name}.0`, "x".repeat(3936)], [`${name}.1`, "x".repeat(5)], ...planted)
    expect(readSessionCookies(jar, name)).toContain(value)
  })

  it("COOK-09: never yields more than 70 values for a forged header", () => {
    const names = [name, ...Array.from({ length: 20 }, (_, n) => `${name}.${n}`)]
    const pairs = names.flatMap((each) => Array.from({ length: 50 }, (_, n) => [each, `${n}`] as const))
    expect(readSessionCookies(toJar(...pairs), name).length).toBeLessThanOrEqual(70)
  })

  it("that is empty does not hide its chunks", () => {
    expect(readLikeliest(toJar([name, ""], [`${name}.0`, "value"]), name)).toBe("value")
  })
})

describe("a session cookie that replaces another", () => {
  const three = keep(write("x".repeat(3 * 3936)))
  const cleared = { ...options, maxAge: 0 }

  it("clears the chunks that it does not need, with their attributes", () => {
    expect(write("small", three)).toEqual([
      { name, value: "small", options },
      ...[0, 1, 2].map((n) => ({ name: `${name}.${n}`, value: "", options: cleared })),
    ])
    expect(write("y".repeat(3937), three).map((cookie) => [cookie.name, cookie.options.maxAge])).toEqual([
      [`${name}.0`, undefined],
      [`${name}.1`, undefined],
      [`${name}.2`, 0],
    ])
  })

  it("clears the plain cookie when it needs chunks, since the plain one is read first", () => {
    const [first, second, plain] = write("y".repeat(3937), toJar([name, "old"]))
    expect([first?.name, second?.name]).toEqual([`${name}.0`, `${name}.1`])
    expect(plain).toEqual({ name, value: "", options: cleared })
  })

  it("always leaves the browser with only the new value", () => {
    const length = fc.integer({ min: 1, max: 5 * 3936 })
    fc.assert(
      fc.property(length, length, (before, after) => {
        const old = write("x".repeat(before))
        const next = write("y".repeat(after), keep(old))
        const browser = new Map([...old, ...next].map((cookie) => [cookie.name, cookie]))
        expect(readSessionCookies(keep([...browser.values()]), name)).toEqual(["y".repeat(after)])
      }),
    )
  })

  it("sets no expiry on cleared cookies", () => {
    const jar = toJar([`${name}.0`, "x"])
    const expires = new Date()
    expect(clearSessionCookies(jar, { name, options: { path: "/", expires } })).toEqual([
      { name: `${name}.0`, value: "", options: { path: "/", maxAge: 0 } },
    ])
    expect(clearSessionCookies(empty, { name, options })).toEqual([])
  })
})
