import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import { AuthError } from "../errors/auth-error.js"
import { describeCause, maskPasswords, toOneLine } from "./console.js"

describe("describeCause", () => {
  it("LOG-04: a cause cannot forge a log record", () => {
    const forged = "no\n[auth][error] Forged: line\u001b[2J"
    const err = Object.assign(new Error(forged), { stack: `Error: ${forged}\n    at place (file.js:1:1)` })
    const renamed = Object.assign(new Error("kept"), { stack: `Error: ${forged}` })
    for (const cause of [err, renamed]) {
      const text = describeCause(new AuthError("outer", { err: cause, [`field\n${forged}`]: forged })).join("\n")
      expect(text).not.toMatch(/^\[/m)
      expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u)
    }
    expect(describeCause(new AuthError("outer", err))).toEqual([
      "  [cause] Error: no\\u000a[auth][error] Forged: line\\u001b[2J\n        at place (file.js:1:1)",
    ])
  })

  it("describes each cause of a chain with its stack, and its text and number fields", () => {
    const root = new TypeError("root")
    const err = new Error("middle", { cause: root })
    const [details, middle, bottom] = describeCause(
      new AuthError("top", { err, provider: "github", tries: 2, list: [1] }),
    )
    expect(details).toBe("  [cause] provider: github, tries: 2")
    expect(middle).toMatch(/^ {2}\[cause\] Error: middle\n {5,}at /)
    expect(bottom).toMatch(/^ {2}\[cause\] TypeError: root\n/)
  })

  it("LOG-02: withholds user names and passwords of URLs", () => {
    const url = "postgres://app:hunter2@db.corp.test:5432/app?x=y"
    const lines = describeCause(new AuthError("top", { err: new Error(`no connection to ${url}`), url }))
    expect(lines.join("\n")).toContain("postgres://[withheld]@db.corp.test:5432/app?x=y")
    expect(lines.join("\n")).not.toContain("hunter2")
    for (const text of [
      "https://app.test/a:b@c",
      "mail@corp.test",
      "https://user@app.test",
      "a:b@c",
      "http://[::1]:80/",
    ]) {
      expect(maskPasswords(text)).toBe(text)
    }
  })

  it("describes a connection that failed without the places in the code, and all of its addresses", () => {
    const refusal = (address: string) =>
      Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: "ECONNREFUSED", syscall: "connect" })
    const both = new AggregateError([refusal("::1:5432"), refusal("127.0.0.1:5432")], "")
    expect(describeCause(new AuthError("x", Object.assign(both, { code: "ECONNREFUSED" })))).toEqual([
      "  [cause] AggregateError: connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432",
    ])
    const fetching = new TypeError("fetch failed", { cause: refusal("127.0.0.1:80") })
    expect(describeCause(new AuthError("x", { err: fetching, provider: "github" }))).toEqual([
      "  [cause] provider: github",
      "  [cause] TypeError: fetch failed",
      "  [cause] Error: connect ECONNREFUSED 127.0.0.1:80",
    ])
  })

  it.each(["ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "ESOCKET", "UND_ERR_CONNECT_TIMEOUT", "57P01", "08006", "53300"])(
    "LOG-04: describes an error with the code %s on one line",
    (code) => {
      const lines = describeCause(new AuthError("x", Object.assign(new Error("down\n[auth] fake"), { code })))
      expect(lines).toEqual(["  [cause] Error: down\\u000a[auth] fake"])
    },
  )

  it.each(["ERR_INVALID_ARG_TYPE", "EACCES", "23505", 7, undefined])(
    "describes an error with the code %s with its stack",
    (code) => {
      const [line] = describeCause(new AuthError("x", Object.assign(new Error("bug"), { code })))
      expect(line).toMatch(/\n {5,}at /)
    },
  )

  it("omits objects, which may contain secrets", () => {
    const cause = { request: { headers: { cookie: "hunter2" } }, provider: "github" }
    expect(describeCause(new AuthError("x", cause))).toEqual(["  [cause] provider: github"])
  })

  it("LOG-07: handles circular causes", () => {
    const first: Error = new Error("first")
    const second = new Error("second", { cause: first })
    first.cause = second
    expect(describeCause(first)).toHaveLength(1)
    const own = new AuthError("own")
    Object.assign(own, { cause: { err: own } })
    expect(describeCause(own).length).toBeLessThan(3)
  })

  it("LOG-07: cuts long chains and long texts", () => {
    let error = new Error("deepest")
    for (let level = 0; level < 100; level++) error = new Error(`level ${level}`, { cause: error })
    expect(describeCause(error)).toHaveLength(5)
    const long = "a".repeat(1_000_000)
    const text = describeCause(new AuthError("x", { err: new Error(long), long, [long]: 1 })).join("\n")
    expect(text.length).toBeLessThan(10_000)
  })

  it("returns no lines without a cause, or with one that is not an object", () => {
    for (const cause of [undefined, null, "hunter2", 5]) expect(describeCause(new Error("x", { cause }))).toEqual([])
    expect(describeCause(new Error("x", { cause: {} }))).toEqual([])
  })

  it("shows the message of a cause that has no stack", () => {
    const err = Object.assign(new Error("bare"), { stack: undefined })
    expect(describeCause(new AuthError("x", err))).toEqual(["  [cause] bare"])
  })
})

describe("toOneLine", () => {
  it("LOG-04: escapes line ends and terminal sequences", () => {
    expect(toOneLine("x\r\n[auth] fake\u001b[2J\u2028\u0085\0")).toBe(
      "x\\u000d\\u000a[auth] fake\\u001b[2J\\u2028\\u0085\\u0000",
    )
  })

  it("LOG-04: leaves no control character in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(toOneLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u)
      }),
    )
  })

  it("keeps all other text, and cuts it at 2,000 characters", () => {
    expect(toOneLine("Grüße, 東京 🗼")).toBe("Grüße, 東京 🗼")
    expect(toOneLine("a".repeat(1_000_000))).toHaveLength(2_000)
  })
})
