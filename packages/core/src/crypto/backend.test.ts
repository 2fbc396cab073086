import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { anyCharacter } from "../../test/setup/any-character.js"
import type { Bytes } from "./backend.js"
import { createPrimitives } from "./bun.js"
import { toTokenHeader } from "./jwt.js"
import { primitives as node } from "./node.js"
import { primitives as web } from "./web.js"

// Web Crypto uses a thread for each call, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes): Bytes => new Uint8Array(bytes))

function encodeHex(text: string): string {
  return Buffer.from(text, "hex").toString("base64url")
}

describe.each([
  ["node:crypto", node],
  ["Web Crypto", web],
  // It changes from the one to the other while the tests run.
  ["Bun", createPrimitives(async () => node)],
])("the primitives of %s", (_, platform) => {
  it("refuse base64url that is not canonical", () => {
    for (const text of [
      "A",
      "AB",
      "AAB",
      "AA==",
      "AAA=",
      "A+AA",
      "A/AA",
      "AA A",
      "AAA\n",
      "ŁAAA",
      "AAA\u0141",
      "AAAAA",
    ]) {
      expect(platform.fromBase64url(text)).toBeNull()
    }
  })

  it("decode what they encode and nothing else", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(Array.from(platform.fromBase64url(platform.toBase64url(bytes)) ?? [-1])).toEqual(Array.from(bytes))
      }),
    )
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("A", "Q", "g", "-", "_", "+", "/", "=", " ", "Ł") }), (text) => {
        const bytes = platform.fromBase64url(text)
        if (bytes !== null) expect(platform.toBase64url(bytes)).toBe(text)
      }),
    )
  })

  it("compare texts", () => {
    const anyText = fc.string({ unit: "grapheme" })
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(platform.isEqual(a, b)).toBe(a === b)
        expect(platform.isEqual(a, `${a}`)).toBe(true)
        expect(platform.isEqual(a, `${a}x`)).toBe(false)
        expect(platform.isEqual(`${a}x`, `${a}y`)).toBe(false)
      }),
    )
  })

  it("match the hash vectors of FIPS 180", async () => {
    expect(platform.toHex(await platform.sha256("abc"))).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    )
    expect(platform.toHex(await platform.sha512("abc"))).toBe(
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    )
  })

  it("match the HMAC vector of RFC 4231 section 4.3", async () => {
    const mac = await platform.createMac(new Uint8Array(new TextEncoder().encode("Jefe")))
    expect(await mac("what do ya want for nothing?")).toBe(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    )
  })

  it("decrypt the vector of RFC 7518 appendix B.3", async () => {
    const cipher = await platform.createCbcHmacCipher(new Uint8Array(Array.from({ length: 64 }, (_, index) => index)))
    const encrypted = {
      iv: encodeHex("1af38c2dc2b96ffdd86694092341bc04"),
      ciphertext: encodeHex(
        "4affaaadb78c31c5da4b1b590d10ffbd3dd8d5d302423526912da037ecbcc7bd822c301dd67c373bccb584ad3e9279c2e6d12a1374b77f07" +
          "7553df829410446b36ebd97066296ae6427ea75c2e0846a11a09ccf5370dc80bfecbad28c73f09b3a3b75e662a2594410ae496b2e2e6609e" +
          "31e6e02cc837f053d21f37ff4f51950bbe2638d09dd7a4930930806d0703b1f6",
      ),
      tag: encodeHex("4dd3b4c088a7f45c216839645b2012bf2e6269a8c56a816dbc1b267761955bc5"),
    }
    const plaintext = await cipher.open(encrypted, toTokenHeader("The second principle of Auguste Kerckhoffs"))
    expect(plaintext).toBe(
      "A cipher system must not be required to be secret, and it must be able to fall into the hands of the enemy without inconvenience",
    )
  })

  it("generate random bytes and version 4 UUIDs", () => {
    expect(platform.randomBytes(48)).toHaveLength(48)
    expect(platform.toHex(platform.randomBytes(32))).not.toBe(platform.toHex(platform.randomBytes(32)))
    expect(platform.randomUUID()).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  })
})

describe("both platforms", () => {
  it("derive the same keys", async () => {
    const text = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 100 })
    await fc.assert(
      fc.asyncProperty(text, text, fc.constantFrom(32, 64), async (secret, salt, length) => {
        const derivation = { secret, salt, info: `info of ${salt}`, length }
        expect(node.toHex(await node.deriveKey(derivation))).toBe(web.toHex(await web.deriveKey(derivation)))
      }),
      { numRuns: 30 },
    )
  })

  it("agree on which texts are base64url", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 12 }), (text) => {
        const [one, other] = [node.fromBase64url(text), web.fromBase64url(text)]
        expect(one === null ? null : node.toHex(one)).toBe(other === null ? null : web.toHex(other))
      }),
    )
  })
})
