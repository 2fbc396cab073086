import { describe, expect, it } from "vitest"
import { decideUnlink, type OwnSignInMethod } from "./unlinking.js"

const github: OwnSignInMethod = { kind: "account", provider: "github", providerAccountId: "1", works: true }
const google: OwnSignInMethod = { kind: "account", provider: "google", providerAccountId: "1", works: true }
const passkey: OwnSignInMethod = { kind: "passkey", provider: "passkey", providerAccountId: "key", works: true }
const password: OwnSignInMethod = { kind: "password", provider: "password", providerAccountId: null, works: true }
const email: OwnSignInMethod = { kind: "email", provider: "email", providerAccountId: null, works: true }
const broken = (method: OwnSignInMethod): OwnSignInMethod => ({ ...method, works: false })

describe("decideUnlink", () => {
  it.each<readonly [string, readonly OwnSignInMethod[], OwnSignInMethod, string]>([
    ["the only method", [github], github, "last-sign-in-method"],
    [
      "a method beside one that was removed from the configuration",
      [github, broken(google)],
      github,
      "last-sign-in-method",
    ],
    ["a method beside an address that was not proved", [github, broken(email)], github, "last-sign-in-method"],
    [
      "a passkey beside another without an account",
      [passkey, broken({ ...passkey, providerAccountId: "b" })],
      passkey,
      "last-sign-in-method",
    ],
    ["an account of another user", [github, email], { ...github, providerAccountId: "2" }, "unknown"],
    ["the same account at another provider", [github, email], google, "unknown"],
    ["the address itself, which has no account", [github, email], email, "unknown"],
    ["the password, which has no account", [github, password], password, "unknown"],
    ["something where there is nothing", [], github, "unknown"],
  ])("ACC-04: refuses to remove %s", (_, methods, wanted, reason) => {
    expect(decideUnlink({ methods, wanted })).toEqual({ kind: "refuse", reason })
  })

  it.each<readonly [string, readonly OwnSignInMethod[], OwnSignInMethod]>([
    ["another account", [github, google], github],
    ["a second account at the same provider", [github, { ...github, providerAccountId: "2" }], github],
    ["a proved address", [github, email], github],
    ["a password", [github, password], github],
    ["a passkey", [github, passkey], github],
    ["an account", [github, passkey], passkey],
  ])("removes a method beside %s", (_, methods, wanted) => {
    expect(decideUnlink({ methods, wanted })).toEqual({ kind: "unlink", method: wanted })
  })

  it("removes a method that does not work, also if it is the only one", () => {
    expect(decideUnlink({ methods: [broken(github)], wanted: github })).toMatchObject({ kind: "unlink" })
  })
})
