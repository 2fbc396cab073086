import { describe, expect, it } from "vitest"
import { cleanError, listWithheldTexts, showArguments, withhold } from "./redact.js"

const token = "d1c6a1f0session4token"
const values = [{ sessionToken: token, userId: "u-v-123456", expires: new Date() }]
const everything = (error: Error) => [error.message, error.stack, JSON.stringify({ ...error }), error.cause].join("\n")

describe("cleanError", () => {
  it("LOG-02: removes the values of a statement from the error of a database", () => {
    const error = Object.assign(new RangeError(`duplicate key: { sessionToken: "${token}" } of u-v-123456`), {
      code: "23505",
    })
    const clean = cleanError(error, values)
    expect(clean).toMatchObject({ name: "RangeError", code: "23505" })
    expect(clean.message).toBe('duplicate key: { sessionToken: "[withheld]" } of u-v-123456')
    expect(clean.stack).toContain("[withheld]")
    expect(clean.stack).toContain("redact.test")
    expect(everything(clean)).not.toContain(token)
  })

  it.each([
    ["a field", { parameters: [token] }],
    ["the name of a field", { byToken: { [token]: 1 } }],
    ["the cause", { cause: new Error("inner", { cause: `failed for ${token}` }) }],
    ["several errors", { errors: [new Error(token)] }],
    ["the code", { code: `E_${token}` }],
  ])("LOG-02: removes %s that quotes a value", (_, more) => {
    const clean = cleanError(Object.assign(new Error("failed"), more), values)
    expect(clean.message).toBe("failed")
    expect(everything(clean) + everything(new Error("", { cause: clean.cause }))).not.toContain(token)
  })

  it("LOG-02: removes arguments that are plain text, such as a session token", () => {
    expect(cleanError(new Error(`no row for ${token}`), [token]).message).toBe("no row for [withheld]")
  })

  it.each([
    ["the message", new Error("connect postgres://app:hunter2@db.corp.test/app failed")],
    ["a field", Object.assign(new Error("failed"), { url: "redis://:hunter2@cache:6379" })],
    ["the cause", new Error("failed", { cause: new Error("mongodb+srv://u:hunter2@c.test/?a=b") })],
  ])("LOG-02: removes the password of a connection string from %s", (_, error) => {
    const clean = cleanError(error, [])
    expect(clean.message).toMatch(/^(failed|connect postgres:\/\/\[withheld\]@db\.corp\.test\/app failed)$/)
    expect(everything(clean) + everything(new Error("", { cause: clean.cause }))).not.toContain("hunter2")
  })

  it("returns an error that quotes nothing unchanged", () => {
    const error = Object.assign(new Error("connection refused at u-v-123456"), { code: "ECONNREFUSED", port: 5432 })
    expect(cleanError(error, values)).toBe(error)
    expect(cleanError(error, [{ name: "at" }, 5432, undefined])).toBe(error)
    expect(cleanError(error, [])).toBe(error)
  })

  it("keeps the chain of causes without the values", () => {
    const cause = Object.assign(new TypeError(`bad ${token}`), { code: 7 })
    const clean = cleanError(new Error("outer", { cause }), values)
    expect(clean.cause).toMatchObject({ name: "TypeError", message: "bad [withheld]", code: 7 })
  })

  it("LOG-07: handles circular, deep and very large errors", () => {
    const long = new Error("a".repeat(1_000_000) + token)
    long.cause = long
    const clean = cleanError(Object.assign(long, { self: long, bytes: new Uint8Array(1_000_000) }), values)
    expect(everything(clean)).not.toContain(token)
    let depth = 0
    for (let each: unknown = clean; each instanceof Error; each = each.cause) depth += 1
    expect(depth).toBeLessThan(6)
  })

  it("LOG-07: drops members that throw when they are read", () => {
    const trap = {
      get secret(): string {
        throw new Error("trap")
      },
    }
    const clean = cleanError(Object.assign(new Error("outer"), { trap }), values)
    expect(clean).toMatchObject({ message: "outer" })
    expect(clean).not.toHaveProperty("trap")
  })
})

describe("showArguments", () => {
  it("LOG-03: shows fields without personal data and withholds all others", () => {
    const expires = new Date(0)
    expect(showArguments([{ sessionToken: "hunter2hunter2", userId: "u-v", expires }])).toEqual([
      { sessionToken: "[withheld]", userId: "u-v", expires },
    ])
    const account = { provider: "oidc", type: "oidc", userId: "u-v", providerAccountId: "s", access_token: "t", own: 1 }
    expect(showArguments([account])).toEqual([
      {
        provider: "oidc",
        type: "oidc",
        userId: "u-v",
        providerAccountId: "[withheld]",
        access_token: "[withheld]",
        own: "[withheld]",
      },
    ])
  })

  it("LOG-03: withholds values outside of a record", () => {
    expect(showArguments(["token", 5, null, ["token"], new Date(0)])).toEqual(Array(5).fill("[withheld]"))
  })
})

it("listWithheldTexts returns the texts that showArguments withholds", () => {
  expect(listWithheldTexts(["token", { id: "u-v", email: "v@corp.test", count: 5 }, 7])).toEqual([
    "token",
    "v@corp.test",
  ])
})

it("withhold replaces every occurrence and does not interpret patterns", () => {
  expect(withhold("a.b axb a.b $&", ["a.b", "$&"])).toBe("[withheld] axb [withheld] [withheld]")
})
