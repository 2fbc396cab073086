import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { expandFacts, shortenFacts } from "./short-facts.js"

const token = "header..aXYgb2YgMTYgYnl0ZXMuLg.ciphertext.tag"
const facts = { sid: "abcdefghijklmnopqrstuv", auth_time: 1_795_449_600, chk: 1_795_449_660, amr: ["pwd", "otp"] }
const claims = { sub: "u-ada", ...facts, iat: 1, exp: 2, jti: "former" }

/** What a token holds. */
const toWire = (value: object) => JSON.parse(JSON.stringify(value))

describe("the claims of a tracked session", () => {
  it("become one, and come back as they were", () => {
    const { jti: _, ...own } = claims
    const wire = toWire(shortenFacts(own, false))
    expect(wire).toEqual({ sub: "u-ada", iat: 1, exp: 2, chk: expect.stringContaining(facts.sid) })
    expect(expandFacts(wire, token)).toEqual({ ...own, jti: "aXYgb2YgMTYgYnl0ZXMuLg" })
  })

  it("come back for all times, methods and kinds of ids", () => {
    const word = fc.stringMatching(/^[\w-]{1,40}$/)
    const seconds = fc.nat({ max: 4_000_000_000 })
    const any = fc.record(
      { sid: word, chk: seconds, auth_time: seconds, amr: fc.array(word, { maxLength: 4 }), jti: word },
      { requiredKeys: ["sid", "chk", "amr", "jti"] },
    )
    fc.assert(
      fc.property(any, fc.boolean(), (given, keepsStart) => {
        expect(expandFacts(toWire(shortenFacts(given, keepsStart)), token)).toEqual(given)
      }),
    )
  })

  it("leave auth_time where the lifetime of sessions is capped, tracked or not", () => {
    expect(toWire(shortenFacts(claims, true))).toMatchObject({ auth_time: facts.auth_time })
  })

  it.each([
    ["without a session", { sid: undefined }],
    ["with an id of several words", { sid: "two words" }],
    ["with an id that is no text", { sid: 5 }],
    ["with a time that is no number", { chk: "soon" }],
    ["with a fraction of a second", { chk: 1.5 }],
    ["with a start that is no number", { auth_time: "yesterday" }],
    ["without methods", { amr: undefined }],
    ["with a method of several words", { amr: ["one time"] }],
    ["with an empty method", { amr: [""] }],
    ["with a method that is no text", { amr: [1] }],
  ])("stay as they are %s", (_, change) => {
    const given = { ...claims, ...change }
    expect(shortenFacts(given, false)).toBe(given)
  })

  it.each([
    ["a text of fewer parts", { chk: "abc 5" }],
    ["a text of other parts", { chk: "paid by check today" }],
    ["a session of its own", { chk: "abc 1 2 pwd", sid: "own" }],
    ["a number", { chk: 5 }],
  ])("are not taken from a claim of the app that is %s", (_, own) => {
    expect(expandFacts({ ...own }, token)).toEqual(own)
  })

  it("keep the id that another library gave the token", () => {
    const wire = { ...toWire(shortenFacts(claims, false)), jti: "own" }
    expect(expandFacts(wire, token)).toMatchObject({ ...facts, jti: "own" })
  })
})
