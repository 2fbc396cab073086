import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { normalizeEmailAddress } from "../host/email-address.js"
import type { CredentialInput } from "../types/providers.js"
import {
  findAccountNames,
  fold,
  toMailboxName,
  toRepeatName,
  toTokenName,
  toUnknownName,
  toUserName,
} from "./account-name.js"

const text = {}
const password = { type: "password" }

const find = (
  sent: Readonly<Record<string, unknown>>,
  credentials?: Record<string, CredentialInput>,
  account?: string,
) =>
  findAccountNames(sent, { id: "cred", ...(credentials && { credentials }) }, account).map(({ counted }) => {
    const [, name] = JSON.parse(counted[0] ?? "[]")
    return name
  })

describe("findAccountNames", () => {
  it.each([
    ["the usual field", { username: text, password }, { username: "Ada", password: "x" }, ["ada"]],
    ["the email", { email: { type: "email" }, password }, { email: "Ada@corp.test" }, ["ada@corp.test"]],
    [
      "the usual field of several",
      { tenant: text, username: text, password },
      { tenant: "t", username: "ada" },
      ["ada"],
    ],
    ["the first that is not a password", { p: password, u: text, code: text }, { u: "v", p: "x", code: "1" }, ["v"]],
    ["no hidden field", { h: { type: "hidden" }, u: text }, { h: "x", u: "v" }, ["v"]],
    [
      "each of several usual fields",
      { username: text, email: text },
      { username: "junk", email: "v@corp.test" },
      ["junk", "v@corp.test"],
    ],
    ["another usual field if it was not sent", { username: text, password }, { email: "v@corp.test" }, ["v@corp.test"]],
    ["no secret that is typed as text", { pin: text }, { pin: "1234" }, []],
    ["no secret before the name", { accessCode: text, member: text }, { accessCode: "1", member: "m-1" }, ["m-1"]],
    ["nothing if it is empty", { username: text }, { username: " " }, []],
  ])("reads %s of the declared fields", (_, credentials, sent, expected) => {
    expect(find(sent, credentials)).toEqual(expected)
  })

  it("reads every usual field if none is declared, so that an added one hides nothing", () => {
    const sent = { username: "junk", email: "v@corp.test", password: "x" }
    expect(find(sent)).toEqual(["junk", "v@corp.test"])
    expect(find(sent, { password })).toEqual(["junk", "v@corp.test"])
  })

  it.each(["userName", "user_id", "emailAddress", "mobile", "memberId"])(
    "reads the field %s of a form that is not declared",
    (field) => expect(find({ [field]: "Ada", company: "harbour", password: "x" })).toEqual(["ada"]),
  )

  it.each(["company", "tenant", "account", "organization"])(
    "does not read the field %s of a form that is not declared, which many users share",
    (field) => expect(find({ [field]: "harbour", password: "x" })).toEqual([]),
  )

  it("uses what the app's accountOf returned instead, also if that is no account", () => {
    const sent = { tenant: "T", username: "Ada" }
    expect(find(sent, { username: text }, "T/Ada")).toEqual(["t/ada"])
    expect(find(sent, undefined, "")).toEqual([])
  })
})

const forms = (username: unknown) => findAccountNames({ username }, { id: "cred" })

describe("a counted name", () => {
  it.each([
    ...["ada", "ADA", " ada ", "a d a", "ádá", "a\u0301da\u0301", "ａｄａ", "a\u200bda", "ada\0", "\u202eada"],
    ...["a\u115fda", "\u1160ada", "ada\u3164", "ad\uffa0a", "a\u034fda", "ada\ufe0f", "a\u17b4da"],
  ])("RATE-05: is the same for %j, whose text is kept for comparing", (text) => {
    const [name] = forms(text)
    expect(name?.counted).toEqual(['["name","ada"]'])
    expect(JSON.parse(name?.exact ?? "")).toEqual(["name", "cred", text])
  })

  it.each([
    ["+1 (555) 010-0199", "+1.555.010.0199"],
    ["1555-0100-199", "1--5550100199"],
    ["\uff0b1 555 0100199", "+1\u20115550100199"],
    ["\u0661\u0665\u0665\u0665", "1555"],
    ["user\u0967", "user1"],
    ["stra\u00dfe", "STRASSE"],
    ["\u03b1\u03c2", "\u03b1\u03c3"],
    ["v@corp\uff61test", "v@corp.test"],
  ])("RATE-05: is the same for %j and %j", (one, other) => {
    expect(forms(one)[0]?.counted[0]).toBe(forms(other)[0]?.counted[0])
  })

  it.each([
    [["ada"], ["ada"]],
    [[["ada"]], ["ada"]],
    [42, ["42"]],
    [null, []],
    [{ toString: 1, valueOf: 1 }, []],
  ])("converts %j like the app's String()", (username, expected) => {
    expect(find({ username })).toEqual(expected)
  })

  it.each([" ".repeat(256), "\u200b".repeat(300), "\u0301".repeat(100_000)])(
    "RATE-05: ignores padding that is longer than a counted name",
    (padding) => {
      for (const text of [`${padding}ada`, `a${padding}da`]) {
        expect(find({ username: text })).toEqual(["ada"])
        expect(toMailboxName(text).counted).toEqual(['["mailbox","ada"]'])
      }
    },
  )

  it("truncates a long name", () => {
    expect(fold("a".repeat(100_000))).toHaveLength(256)
  })

  it("RATE-09: never equals one of another kind, whatever is typed", () => {
    const mailbox = toMailboxName("v@corp.test")
    const user = toUserName("password", "u-1")
    const token = toTokenName("email", "v@corp.test")
    const own = [mailbox, user, token].flatMap(({ counted, exact }) => [...counted, exact])
    expect(toUserName("password change", "u-1").counted).not.toEqual(user.counted)
    for (const text of [...own, "u-1", "password u-1", "v@corp.test", "email v@corp.test"]) {
      const typed = [
        ...forms(text),
        toMailboxName(text),
        toTokenName("other", text),
        toUnknownName("password", forms(text)),
      ]
      const keys = typed.flatMap(({ counted, exact }) => [...counted, exact])
      expect(keys.filter((key) => own.includes(key) && text !== "v@corp.test")).toEqual([])
    }
  })

  it("RATE-09: of a user is exact, since ids may differ in case alone", () => {
    expect(toUserName("password", "aB").counted).not.toEqual(toUserName("password", "ab").counted)
  })
})

describe("spellings of one address", () => {
  const normalize = (text: string) => {
    try {
      return normalizeEmailAddress(text)
    } catch {
      return null
    }
  }

  /** The kinds of names for which a guess under one spelling leaves as much as before for the other. */
  function findUnshared(one: string, other: string): readonly string[] {
    const kinds = {
      name: (text: string) => forms(text)[0],
      mailbox: toMailboxName,
      token: (text: string) => toTokenName("email", text),
      repeat: (text: string) => toRepeatName("email", text),
    }
    return Object.entries(kinds).flatMap(([kind, toName]) => {
      const taken = new Set(toName(one)?.counted)
      return toName(other)?.counted.some((key) => taken.has(key)) ? [] : [`${kind} ${JSON.stringify([one, other])}`]
    })
  }

  it("RATE-05: share every budget, for each character that the domain's normalization drops or maps", () => {
    const ranges = [
      [0, 0x33ff],
      [0xa000, 0xabff],
      [0xf900, 0xffff],
      [0x1d400, 0x1d7ff],
      [0x1f100, 0x1f1ff],
      [0xe0000, 0xe01ff],
    ] as const
    const codes = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, n) => first + n))
    const spelled = codes.flatMap((code) => {
      const text = `v@co${String.fromCodePoint(code)}rp.test`
      const address = normalize(text)
      return address === null || /[@.]xn--/.test(address) ? [] : [{ text, address }]
    })
    expect(spelled.length).toBeGreaterThan(1_000)
    expect(spelled.flatMap(({ text, address }) => findUnshared(text, address))).toEqual([])
  })

  it("RATE-05: share every budget, for any text", () => {
    const atoms = fc.constantFrom(
      ..."vVab1.+-@ \t\u00e9\u00df\u1e9e\u03c2\u3002\uff61\uff0e\u115f\u1160\u3164\uffa0\u00ad\u200b\u0301\u0661",
      ...["xn--bcher-kva", "b\u00fccher", "BU\u0308CHER", "corp", ".test", "\u{e0100}", "\u{1d7d8}"],
    )
    const text = (least: number) => fc.array(atoms, { minLength: least, maxLength: 8 }).map((parts) => parts.join(""))
    const spelled = fc
      .tuple(fc.constantFrom("v", " V", "v+x"), text(0))
      .map(([local, domain]) => `${local}@${domain}.test`)
    fc.assert(
      fc.property(spelled, (typed) => {
        const address = normalize(typed)
        return address === null || findUnshared(typed, address).length === 0
      }),
      { numRuns: 1_000 },
    )
  })
})

describe("toMailboxName", () => {
  it("counts all subaddresses of a mailbox as one, and keeps them for comparing (RATE-06)", () => {
    const { counted, exact } = toMailboxName("v+one@corp.test")
    expect([counted, exact]).toEqual([['["mailbox","v@corp.test"]'], '["mailbox","v+one@corp.test"]'])
    expect(toMailboxName("V+two+three@corp.test").counted).toEqual(counted)
    expect(toMailboxName("w+one@corp.test").counted).toEqual(['["mailbox","w@corp.test"]'])
  })
})
