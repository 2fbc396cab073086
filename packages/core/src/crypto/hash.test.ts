import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isEqualInConstantTime, macHex, sha256Hex } from "./hash.js"
import { primitives } from "./web.js"

describe("macHex", () => {
  it("differs for every secret, purpose and text", async () => {
    const made = ["s1", "s2"].flatMap((secret) =>
      ["csrf", "mail"].flatMap((purpose) => ["a", "b"].map((text) => macHex(secret, purpose, text))),
    )
    expect(new Set(await Promise.all(made)).size).toBe(8)
  })

  it("is HMAC-SHA-256 with a key that HKDF derives for the purpose", async () => {
    const key = await primitives.deriveKey({ secret: "s", salt: "csrf", info: "Latchkey MAC key (csrf)", length: 32 })
    const mac = await primitives.createMac(key)
    expect(await macHex("s", "csrf", "tøken")).toBe(await mac("tøken"))
    expect(await macHex("s", "csrf", "tøken")).toMatch(/^[\da-f]{64}$/)
  })

  it("uses another key than tokens with the same salt", async () => {
    const info = "Auth.js Generated Encryption Key (csrf)"
    const mac = await primitives.createMac(await primitives.deriveKey({ secret: "s", salt: "csrf", info, length: 32 }))
    expect(await macHex("s", "csrf", "text")).not.toBe(await mac("text"))
  })
})

describe("isEqualInConstantTime", () => {
  it("rejects texts that differ in length, case or one character", () => {
    expect(isEqualInConstantTime("abc", "ab")).toBe(false)
    expect(isEqualInConstantTime("abc", "abC")).toBe(false)
    expect(isEqualInConstantTime("é", "ab")).toBe(false)
    expect(isEqualInConstantTime("", "a")).toBe(false)
  })

  it("agrees with ===", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "é", "🦊"), maxLength: 3 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(isEqualInConstantTime(a, b)).toBe(a === b)
      }),
    )
  })
})

describe("sha256Hex", () => {
  it("hashes UTF-8", async () => {
    expect(await sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    expect(await sha256Hex("é")).toBe("4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c")
  })
})
