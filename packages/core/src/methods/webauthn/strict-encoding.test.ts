import { assert, integer, property, uint8Array } from "fast-check"
import { describe, expect, it } from "vitest"
import { WebAuthnVerificationError } from "../../errors/errors.js"
import { assertSingleItem, findItemEnd, isDerSignature } from "./strict-encoding.js"

describe("a single CBOR item", () => {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

  it.each([
    ["nothing", ""],
    ["a text that is cut off", "62ff"],
    ["a head that is cut off", "19ff"],
    ["a list of four thousand million", "9affffffff"],
    ["a map of 2^64 entries", "bbffffffffffffffff"],
    ["a map without its last value", "a20102"],
    ["an indefinite length", "9f01ff"],
    ["a reserved length", "1c"],
    ["a tag", "c001"],
    ["a number in too many bytes", "1801"],
    ["a length in too many bytes", "590001ff"],
    ["nine lists in one another", "818181818181818181f6"],
    ["two items", "0101"],
  ])("is not %s", (_, hex) => {
    expect(() => assertSingleItem(bytes(hex))).toThrow(WebAuthnVerificationError)
  })

  it.each(["00", "1818", "1903e8", "3863", "43010203", "6161", "80", "a0", "f5", "f6", "f93c00", "a26161016162820203"])(
    "is %s",
    (hex) => expect(() => assertSingleItem(bytes(hex))).not.toThrow(),
  )

  it("ends within the bytes or is rejected, for any bytes", () => {
    assert(
      property(uint8Array({ maxLength: 200 }), (noise) => {
        try {
          const end = findItemEnd(noise, 0)
          return end > 0 && end <= noise.length
        } catch (error) {
          return error instanceof WebAuthnVerificationError
        }
      }),
    )
  })

  it("is rejected quickly when deeply nested", () => {
    expect(() => assertSingleItem(new Uint8Array(60_000).fill(0x81))).toThrow("nested deeper")
  })
})

describe("isDerSignature", () => {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

  it.each([
    ["nothing", ""],
    ["a list", "020101"],
    ["bytes behind the sequence", "300602010102010200"],
    ["bytes behind the integers", "30070201010201 0200".replaceAll(" ", "")],
    ["one integer", "3003020101"],
    ["three integers", "3009020101020101020101"],
    ["a negative integer", "3006020181020101"],
    ["an integer with a zero too many", "300702020001020101"],
    ["an empty integer", "30050200020101"],
    ["a length in two bytes that fits one", "308106020101020101"],
    ["an indefinite length", "30800201010201010000"],
    ["an integer that is cut off", "3006020101020501"],
  ])("rejects %s", (_, hex) => expect(isDerSignature(bytes(hex))).toBe(false))

  it.each(["3006020101020102", "300702020080020101"])("accepts %s", (hex) => {
    expect(isDerSignature(bytes(hex))).toBe(true)
  })

  it("accepts signatures of the platform for every key size", async () => {
    const { generateKeyPairSync, sign } = await import("node:crypto")
    for (const namedCurve of ["P-256", "P-384", "P-521"]) {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve })
      for (let n = 0; n < 50; n++) expect(isDerSignature(sign("sha256", Buffer.from(`${n}`), privateKey))).toBe(true)
    }
  })

  it("rejects a signature with one byte more or less", async () => {
    const { generateKeyPairSync, sign } = await import("node:crypto")
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    assert(
      property(integer({ min: 0, max: 255 }), (byte) => {
        const signature = sign("sha256", Buffer.of(byte), privateKey)
        return !isDerSignature(Buffer.of(...signature, byte)) && !isDerSignature(signature.subarray(0, -1))
      }),
    )
  })
})
