import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import { EmailSignInError } from "../errors/errors.js"
import { normalizeEmailAddress, toNormalAddress } from "./email-address.js"

/** Null for a rejected address. Any other error fails the test. */
function normalize(text: string): string | null {
  try {
    return normalizeEmailAddress(text)
  } catch (error) {
    if (error instanceof EmailSignInError) return null
    throw error
  }
}

const long = (length: number, text = "a") => text.repeat(length)

describe("normalizeEmailAddress", () => {
  it.each([
    ["MAIL-01", "a@evil.test,v@corp.test"],
    ["MAIL-01", "a@evil.test;v@corp.test"],
    ["MAIL-01", "a@evil.test v@corp.test"],
    ["MAIL-02", "a@evil.test,corp.test"],
    ["MAIL-03", "attacker,victim@corp.test"],
    ["MAIL-03", "x:v@corp.test;"],
    ["MAIL-03", "a;b@corp.test"],
    ["MAIL-04", '"v@corp.test"@evil.test'],
    ["MAIL-04", '"a b"@c.test'],
    ["MAIL-04", '"a"@c.test'],
    ["MAIL-05", "v\uFF20corp.test"],
    ["MAIL-05", "v\uFE6Bcorp.test"],
    ["MAIL-06", "\u212Aim@corp.test"],
    ["MAIL-06", "\u017Fue@corp.test"],
    ["MAIL-06", "\u0130@corp.test"],
    ["MAIL-06", "\uFF56@corp.test"],
    ["MAIL-07", "v@corp.test%0d%0aBcc:a@evil.test"],
    ["MAIL-07", "v@corp.test\r\nBcc:a@evil.test"],
    ["MAIL-07", "v@corp.test\r\nBcc: x"],
    ["MAIL-07", "a\nX: y@b.test"],
    ["MAIL-07", "a%0aX: y@b.test"],
    ["MAIL-07", "a\0@b.test"],
    ["MAIL-07", "a@b\0.test"],
    ["MAIL-07", "a@b.test\u2028x"],
    ["MAIL-08", "<v@corp.test>"],
    ["MAIL-08", "V <v@corp.test>"],
    ["MAIL-08", "v(comment)@corp.test"],
    ["MAIL-08", "v@corp.test(comment)"],
    ["MAIL-08", "=?utf-8?q?v=40corp.test?=@evil.test"],
    ["MAIL-08", "a=?utf-8?q?b?=@evil.test"],
    ["MAIL-09", "a@localhost"],
    ["MAIL-09", "a@b"],
    ["MAIL-09", "a@[127.0.0.1]"],
    ["MAIL-09", "a@127.0.0.1"],
    ["MAIL-09", "a@0x7f.1"],
    ["MAIL-09", "a@1.2"],
    ["MAIL-09", "a@b..test"],
    ["MAIL-09", "a@.b.test"],
    ["MAIL-09", "a@b.test."],
    ["MAIL-09", "a@-b.test"],
    ["MAIL-09", "a@b-.test"],
    ["MAIL-09", "a@b_c.test"],
    ["MAIL-09", "a@b.test:25"],
    ["MAIL-09", "a@b.test/x"],
    ["MAIL-09", "a@b.test?x"],
    ["MAIL-09", "a@b.test#x"],
    ["MAIL-09", "a@b%2ftest.test"],
    ["MAIL-09", `${long(65)}@b.test`],
    ["MAIL-09", `a@${long(64)}.test`],
    ["MAIL-09", `a@${long(63)}.${long(63)}.${long(63)}.${long(63)}.test`],
    ["MAIL-09", `${long(64)}@${long(63)}.${long(63)}.${long(60)}.t`],
    ["MAIL-09", ".a@b.test"],
    ["MAIL-09", "a.@b.test"],
    ["MAIL-09", "a..b@c.test"],
    ["MAIL-10", ""],
    ["MAIL-10", "@"],
    ["MAIL-10", "a@"],
    ["MAIL-10", "@b.test"],
    ["MAIL-10", "nobody"],
    ["MAIL-01", "a@b@c.test"],
    ["MAIL-01", "a@b.test@"],
  ])("%s: rejects %j", (_, text) => {
    expect(normalize(text)).toBeNull()
  })

  it.each([
    ["vera@corp.test", "vera@corp.test"],
    ["  Vera@Corp.TEST\t", "vera@corp.test"],
    ["vera+news@corp.test", "vera+news@corp.test"],
    ["o'brien!#$%&*/?=^_`{|}~-@corp.test", "o'brien!#$%&*/?=^_`{|}~-@corp.test"],
    ["a.b.c@d.e.test", "a.b.c@d.e.test"],
    ["1@2.test", "1@2.test"],
    [`${long(64)}@b.test`, `${long(64)}@b.test`],
    [`a@${long(63)}.test`, `a@${long(63)}.test`],
    ["a@b\u00FCcher.test", "a@xn--bcher-kva.test"],
    ["a@B\u00DCCHER.test", "a@xn--bcher-kva.test"],
    ["a@xn--bcher-kva.test", "a@xn--bcher-kva.test"],
    ["v=40corp?@evil.test", "v=40corp?@evil.test"],
  ])("matches %j with %j", (text, expected) => {
    expect(normalize(text)).toBe(expected)
  })

  it("MAIL-05: normalizes the dots of other scripts in a domain", () => {
    expect(normalize("v@corp\u3002test")).toBe("v@corp.test")
  })

  const atoms = fc.constantFrom(
    ...'ab1.+-_@,;:<>()[]"\\ \t\r\n\0%\u00E9\u212A\uFF20\u3002'.split(""),
    "corp.test",
    "xn--",
  )
  const tricky = fc.array(atoms, { maxLength: 20 }).map((parts) => parts.join(""))
  const anything = fc.oneof(
    tricky,
    fc.string({ unit: anyCharacter }),
    fc.emailAddress(),
    fc.tuple(tricky, tricky).map(([a, b]) => `${a}@${b}`),
  )

  it("returns a plain ASCII address of limited length, or throws, for any text", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const address = normalize(text)
        if (address === null) return
        expect(address).toMatch(/^[a-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}@[a-z0-9-]+(\.[a-z0-9-]+)+$/)
        expect(address.length).toBeLessThanOrEqual(254)
      }),
      { numRuns: 5000 },
    )
  })

  it("is idempotent", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const address = normalize(text)
        if (address !== null) expect(normalize(address)).toBe(address)
      }),
      { numRuns: 2000 },
    )
  })

  it("accepts common addresses in any case", () => {
    const word = fc.string({ unit: fc.constantFrom(..."abcXYZ019"), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        (local, domain) => {
          const address = `${local.join(".")}@${domain.join(".")}.test`
          fc.pre(!domain.some((label) => /^xn/i.test(label)))
          expect(normalize(address)).toBe(address.toLowerCase())
        },
      ),
    )
  })

  it("never quotes the text in an error", () => {
    fc.assert(
      fc.property(tricky, (text) => {
        try {
          normalizeEmailAddress(`secretive${text}`)
        } catch (error) {
          expect(String(error)).not.toContain("secretive")
        }
      }),
    )
  })
})

describe("toNormalAddress", () => {
  it.each([
    ["ada@example.com", "ada@example.com"],
    [" Ada@Example.COM\t", "ada@example.com"],
    ["Ada@B\u00DCCHER.example", "ada@xn--bcher-kva.example"],
    ["ada@b\u00fccher.example", "ada@xn--bcher-kva.example"],
    ["ada@example\u3002com", "ada@example.com"],
    ["\u00C9va@example.com", "\u00C9va@example.com"],
    ["ADA@localhost", "ada@localhost"],
    ['"Ada B"@example.com', '"ada b"@example.com'],
    ["no address", "no address"],
  ])("LINK-12: gives %j the form %j", (text, expected) => {
    expect(toNormalAddress(text)).toBe(expected)
  })

  it("LINK-12: gives a domain of ASCII letters the form that URLs have", () => {
    const domain = fc.stringMatching(/^[A-Za-z.-]{1,30}$/)
    const toHost = (text: string) => URL.parse(`http://${text}/`)?.hostname ?? text.toLowerCase()
    fc.assert(fc.property(domain, (text) => toNormalAddress(`ada@${text}`) === `ada@${toHost(text)}`))
  })

  it.each(["", " ", "\t\n", "\u00a0", "\u3000"])("LINK-12: is null for the blank %j", (text) => {
    expect(toNormalAddress(text)).toBeNull()
  })

  it.each([
    ["\u212Aim@corp.test", "kim@corp.test"],
    ["v@corp\u3164.test", "v@corp.test"],
    ["v@co\u00adrp.test", "v@corp.test"],
    ["k\u00EDm@corp.test", "kim@corp.test"],
  ])("LINK-05, LINK-12: keeps %j apart from %j", (text, other) => {
    expect(toNormalAddress(text)).not.toBe(other)
  })
})
