import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AuthMethod } from "./proof.js"
import { areEnough, countFactors, findRecent, type SessionProof, summarize } from "./session-proofs.js"

const second = 1000
const proof = (time: number, ...methods: readonly AuthMethod[]): SessionProof => ({
  methods,
  factors: countFactors(methods),
  time: time * second,
})

describe("summarize", () => {
  it.each([
    ["a password", [proof(10, "pwd")], { time: 10, methods: ["pwd"], level: 1 }],
    ["a password and a code", [proof(10, "pwd", "otp")], { time: 10, methods: ["pwd", "otp"], level: 2 }],
    ["a passkey", [proof(10, "hwk", "user")], { time: 10, methods: ["hwk", "user"], level: 3 }],
    ["a key without its owner", [proof(10, "hwk")], { time: 10, methods: ["hwk"], level: 1 }],
    ["two proofs", [proof(10, "pwd"), proof(20, "otp")], { time: 10, methods: ["pwd", "otp"], level: 2 }],
    [
      "a later proof of a lower level",
      [proof(30, "pwd"), proof(10, "pwd", "otp")],
      { time: 10, methods: ["pwd", "otp"], level: 2 },
    ],
    [
      "later proofs of the same level",
      [proof(40, "otp"), proof(30, "pwd"), proof(10, "pwd", "otp")],
      { time: 30, methods: ["otp", "pwd"], level: 2 },
    ],
    [
      "a later proof of the same factor",
      [proof(30, "pwd"), proof(10, "email")],
      { time: 30, methods: ["pwd", "email"], level: 1 },
    ],
  ] as const)("FAC-08: tells the level of %s, and since when", (_, proofs, expected) => {
    expect(summarize(proofs)).toEqual(expected)
  })

  it("is null without a proof", () => {
    expect(summarize([])).toBeNull()
  })

  const methods = fc.uniqueArray(
    fc.constantFrom<AuthMethod>("pwd", "email", "fed", "otp", "rcv", "mfa", "hwk", "swk", "user"),
  )
  const proofs = fc.array(
    fc.tuple(fc.integer({ min: 0, max: 100 }), methods).map(([time, given]) => proof(time, ...given)),
    { minLength: 1, maxLength: 6 },
  )

  it("FAC-08: names a time since when the proofs alone reach the level", () => {
    fc.assert(
      fc.property(proofs, (all) => {
        const { time = 0, level } = summarize(all) ?? {}
        expect(summarize(all.filter((each) => each.time >= time * second))?.level).toBe(level)
        expect(summarize(all.filter((each) => each.time > time * second))?.level ?? 0).toBeLessThan(level ?? 0)
      }),
    )
  })

  it("FAC-08: never counts two proofs of one kind as two factors", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<AuthMethod>("pwd", "email", "fed"), { minLength: 1 }), (first) => {
        expect(
          areEnough(
            first.map((method, n) => proof(n, method)),
            { factors: 2 },
          ),
        ).toBe(false)
      }),
    )
  })
})

describe("findRecent", () => {
  const all = [proof(100, "pwd"), proof(50, "otp"), proof(230, "email")]

  it.each([
    [{ maxAgeSeconds: 50 }, ["pwd"]],
    [{ maxAgeSeconds: 100 }, ["pwd", "otp"]],
    [{ maxAgeSeconds: 30 }, []],
    [{}, ["pwd", "otp"]],
  ])("SESS-05: returns what is younger than %o, and nothing of the future", (requirement, expected) => {
    expect(findRecent(all, requirement, 130 * second).flatMap(({ methods }) => methods)).toEqual(expected)
  })

  it("SESS-05: accepts a proof of a process whose clock is up to a minute ahead, and no further", () => {
    expect(findRecent([proof(190, "pwd")], {}, 130 * second)).toHaveLength(1)
    expect(findRecent([proof(191, "pwd")], {}, 130 * second)).toEqual([])
  })
})
