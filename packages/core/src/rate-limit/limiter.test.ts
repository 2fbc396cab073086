import { describe, expect, it } from "vitest"
import type { CredentialInput } from "../types/providers.js"
import type { RateLimitOptions } from "../types/rate-limit.js"
import { defaultBudgets } from "./budgets.js"
import { findAccountNames, resolveRateLimit, toAccountName, toMailboxName } from "./limiter.js"

const text = {}
const password = { type: "password" }

const find = (
  sent: Readonly<Record<string, unknown>>,
  credentials?: Record<string, CredentialInput>,
  accountOf?: RateLimitOptions["accountOf"],
) =>
  findAccountNames(sent, { id: "cred", ...(credentials && { credentials }) }, accountOf).map(({ counted }) => counted)

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

  it("uses the app's accountOf instead", () => {
    const sent = { tenant: "T", username: "Ada" }
    const accountOf = ({ tenant, username }: Readonly<Record<string, unknown>>) => `${tenant}/${username}`
    expect(find(sent, { username: text }, accountOf)).toEqual(["t/ada"])
    expect(find(sent, undefined, () => undefined)).toEqual([])
  })
})

describe("toAccountName", () => {
  it.each(["ada", "ADA", " ada ", "a d a", "ádá", "a\u0301da\u0301", "ａｄａ", "a\u200bda", "ada\0", "\u202eada"])(
    "RATE-05: normalizes %j for counting, and keeps it for comparing",
    (text) => {
      const name = toAccountName(text, "password cred")
      expect(name).toEqual({ counted: "ada", exact: `password cred ${text}` })
    },
  )

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
      expect(toAccountName(`${padding}ada`, "mail").counted).toBe("ada")
      expect(toAccountName(`a${padding}da`, "mail").counted).toBe("ada")
      expect(find({ username: `${padding}ada` })).toEqual(["ada"])
    },
  )

  it("truncates a long name", () => {
    expect(toAccountName("a".repeat(100_000), "mail").counted).toHaveLength(256)
  })
})

describe("toMailboxName", () => {
  it("counts all subaddresses of a mailbox as one, and keeps them for comparing (RATE-06)", () => {
    expect(toMailboxName("v+one@corp.test")).toEqual({ counted: "v@corp.test", exact: "mail v+one@corp.test" })
    expect(toMailboxName("V+two+three@corp.test").counted).toBe("v@corp.test")
    expect(toMailboxName("w+one@corp.test").counted).toBe("w@corp.test")
  })
})

describe("resolveRateLimit", () => {
  it("is off by default outside production, and with rateLimit: false", () => {
    expect(resolveRateLimit({ rateLimit: undefined, isProduction: false })).toBeNull()
    for (const isProduction of [true, false]) expect(resolveRateLimit({ rateLimit: false, isProduction })).toBeNull()
  })

  it("fills in the defaults, and lifts budgets that are false", () => {
    const budgets = { signIn: { limit: 1, windowSeconds: 2 }, signOut: false, callback: undefined } as const
    const given: object = { budgets } // Plain JavaScript may set undefined.
    expect(resolveRateLimit({ rateLimit: given, isProduction: false })?.budgets).toEqual({
      ...defaultBudgets,
      signIn: { limit: 1, windowSeconds: 2 },
      signOut: undefined,
    })
    expect(resolveRateLimit({ rateLimit: undefined, isProduction: true })?.budgets).toEqual(defaultBudgets)
  })
})
