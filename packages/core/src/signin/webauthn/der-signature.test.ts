import { assert, integer, property } from "fast-check"
import { describe, expect, it } from "vitest"
import { isDerSignature } from "./der-signature.js"

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

describe("isDerSignature", () => {
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
  ])("refuses %s", (_, hex) => expect(isDerSignature(bytes(hex))).toBe(false))

  it.each(["3006020101020102", "300702020080020101"])("accepts %s", (hex) => {
    expect(isDerSignature(bytes(hex))).toBe(true)
  })

  it("accepts what the platform makes, of keys of every size", async () => {
    const { generateKeyPairSync, sign } = await import("node:crypto")
    for (const namedCurve of ["P-256", "P-384", "P-521"]) {
      const { privateKey } = generateKeyPairSync("ec", { namedCurve })
      for (let n = 0; n < 50; n++) expect(isDerSignature(sign("sha256", Buffer.from(`${n}`), privateKey))).toBe(true)
    }
  })

  it("refuses what is longer or shorter by a byte", async () => {
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
