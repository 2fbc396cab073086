import { describe, expect, it } from "vitest"
import { decideUnlink, type SignInWay } from "./unlinking.js"

const github: SignInWay = { kind: "account", provider: "github", providerAccountId: "1", works: true }
const google: SignInWay = { kind: "account", provider: "google", providerAccountId: "1", works: true }
const passkey: SignInWay = { kind: "passkey", provider: "passkey", providerAccountId: "key", works: true }
const password: SignInWay = { kind: "password", provider: "password", providerAccountId: null, works: true }
const email: SignInWay = { kind: "email", provider: "email", providerAccountId: null, works: true }
const broken = (way: SignInWay): SignInWay => ({ ...way, works: false })

describe("decideUnlink", () => {
  it.each<readonly [string, readonly SignInWay[], SignInWay, string]>([
    ["the only way", [github], github, "last-way"],
    ["a way beside one that was removed from the configuration", [github, broken(google)], github, "last-way"],
    ["a way beside an address that was not proved", [github, broken(email)], github, "last-way"],
    [
      "a passkey beside another without an account",
      [passkey, broken({ ...passkey, providerAccountId: "b" })],
      passkey,
      "last-way",
    ],
    ["an account of another user", [github, email], { ...github, providerAccountId: "2" }, "unknown"],
    ["the same account at another provider", [github, email], google, "unknown"],
    ["the address itself, which has no account", [github, email], email, "unknown"],
    ["the password, which has no account", [github, password], password, "unknown"],
    ["something where there is nothing", [], github, "unknown"],
  ])("ACC-04: refuses to remove %s", (_, ways, wanted, reason) => {
    expect(decideUnlink({ ways, wanted })).toEqual({ kind: "refuse", reason })
  })

  it.each<readonly [string, readonly SignInWay[], SignInWay]>([
    ["another account", [github, google], github],
    ["a second account at the same provider", [github, { ...github, providerAccountId: "2" }], github],
    ["a proved address", [github, email], github],
    ["a password", [github, password], github],
    ["a passkey", [github, passkey], github],
    ["an account", [github, passkey], passkey],
  ])("removes a way beside %s", (_, ways, wanted) => {
    expect(decideUnlink({ ways, wanted })).toEqual({ kind: "unlink", way: wanted })
  })

  it("removes a way that does not work, also if it is the only one", () => {
    expect(decideUnlink({ ways: [broken(github)], wanted: github })).toMatchObject({ kind: "unlink" })
  })
})
