import { assert, property, uint8Array } from "fast-check"
import { describe, expect, it } from "vitest"
import { WebAuthnVerificationError } from "../../errors/sign-in.js"
import { assertSingleItem, findItemEnd } from "./cbor.js"

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"))

describe("one item of CBOR", () => {
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

  it("is found to end within the bytes, or refused, whatever they are", () => {
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

  it("costs little however often it is nested", () => {
    expect(() => assertSingleItem(new Uint8Array(60_000).fill(0x81))).toThrow("nested deeper")
  })
})
