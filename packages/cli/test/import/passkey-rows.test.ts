import { describe, expect, it } from "vitest"
import { toPasskeyRows } from "../../src/import/passkey-rows.js"
import type { SourcePasskey } from "../../src/import/records.js"

/** Registered by @better-auth/passkey 1.7.6 in Chromium with a virtual authenticator. */
const given: SourcePasskey = {
  credentialId: "t0w6FdfGbuvT0VflJVBihNIrPfD5nY8u-a_OVYvAxNg",
  publicKey: "pAEBAycgBiFYINGAaQ3chAu4DJ9y9Xkof8xw/1JR1jfvR265SxltH+ou",
  counter: 1,
  deviceType: "singleDevice",
  isBackedUp: false,
  transports: ["internal"],
  name: "key",
}
const owner = { userId: "u-ada", provider: "passkey" }
const make = (change: object = {}) => toPasskeyRows({ ...given, ...change }, owner)

const bytes = (size: number) => Buffer.alloc(size, 7)
const head = (type: number, length: number) =>
  length < 24
    ? Buffer.from([(type << 5) | length])
    : length < 256
      ? Buffer.from([(type << 5) | 24, length])
      : Buffer.from([(type << 5) | 25, length >> 8, length & 255])
const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value))
const encode = (value: number | Buffer) =>
  typeof value === "number" ? integer(value) : Buffer.concat([head(2, value.length), value])
/** A COSE key with these labels and values. */
const toKey = (...pairs: readonly (readonly [number, number | Buffer])[]) =>
  Buffer.concat([
    head(5, pairs.length),
    ...pairs.flatMap(([label, value]) => [integer(label), encode(value)]),
  ]).toString("base64")

const algorithms: readonly [string, string][] = [
  ["ES256", toKey([1, 2], [3, -7], [-1, 1], [-2, bytes(32)], [-3, bytes(32)])],
  ["ES384", toKey([1, 2], [3, -35], [-1, 2], [-2, bytes(48)], [-3, bytes(48)])],
  ["ES512", toKey([1, 2], [3, -36], [-1, 3], [-2, bytes(66)], [-3, bytes(66)])],
  ["EdDSA", toKey([1, 1], [3, -8], [-1, 6], [-2, bytes(32)])],
  ["RS256", toKey([1, 3], [3, -257], [-1, bytes(256)], [-2, bytes(3)])],
  ["ML-DSA-65", toKey([1, 7], [3, -49], [-1, bytes(1952)])],
]

describe("toPasskeyRows()", () => {
  it("makes the record and the account of a passkey of Better Auth", () => {
    const credentialID = "t0w6FdfGbuvT0VflJVBihNIrPfD5nY8u+a/OVYvAxNg="
    expect(make()).toEqual({
      passkey: {
        credentialID,
        providerAccountId: credentialID,
        credentialPublicKey: given.publicKey,
        counter: 1,
        credentialDeviceType: "singleDevice",
        credentialBackedUp: false,
        transports: "internal",
        userId: "u-ada",
        name: "key",
      },
      account: { userId: "u-ada", type: "webauthn", provider: "passkey", providerAccountId: credentialID },
    })
  })

  it.each(algorithms)("accepts a key of %s", (_, publicKey) => {
    expect(make({ publicKey }).passkey.credentialPublicKey).toBe(publicKey)
  })

  it("accepts base64 and base64url, with and without padding, and stores one form", () => {
    const forms = [given.credentialId, `${given.credentialId}=`, "t0w6FdfGbuvT0VflJVBihNIrPfD5nY8u+a/OVYvAxNg="]
    expect(new Set(forms.map((credentialId) => make({ credentialId }).passkey.credentialID)).size).toBe(1)
  })

  it("takes a passkey that is backed up for one of several devices, and keeps usable transports alone", () => {
    const { passkey } = make({
      deviceType: undefined,
      isBackedUp: true,
      transports: ["usb", "", "USB", "usb", "hybrid", 7],
    })
    expect([passkey.credentialDeviceType, passkey.transports]).toEqual(["multiDevice", "usb,hybrid"])
    expect(make({ transports: undefined, isBackedUp: undefined, deviceType: undefined }).passkey).toMatchObject({
      credentialDeviceType: "singleDevice",
      transports: null,
    })
  })

  it("keeps a name of at most 60 characters in one line, and the last use", () => {
    const lastUsedAt = new Date("2026-11-28T08:31:27Z")
    const { passkey } = make({ name: ` a\nb${"c".repeat(80)}`, lastUsedAt })
    expect([passkey.name, passkey.lastUsedAt]).toEqual([`a b${"c".repeat(57)}`, lastUsedAt])
    expect(make({ name: " " }).passkey).not.toHaveProperty("name")
  })

  const point = [-2, bytes(32)] as const
  it.each([
    ["an empty ID", { credentialId: "" }, "The ID of the passkey"],
    ["no ID", { credentialId: null }, "The ID of the passkey"],
    ["an ID with spaces", { credentialId: `${given.credentialId} ` }, "The ID of the passkey"],
    ["an ID that is cut off", { credentialId: `${given.credentialId}AA` }, "The ID of the passkey"],
    ["an ID with bits after its end", { credentialId: "AB" }, "The ID of the passkey"],
    ["an ID of 1,024 bytes", { credentialId: bytes(1024).toString("base64url") }, "The ID of the passkey"],
    ["an ID of 10 MB", { credentialId: "A".repeat(10_000_000) }, "The ID of the passkey"],
    ["a NUL in the ID", { credentialId: `${given.credentialId}\0` }, "The ID of the passkey"],
    ["no key", { publicKey: undefined }, "The public key of the passkey is not base64"],
    ["a key of 10 MB", { publicKey: "A".repeat(10_000_000) }, "The public key of the passkey is not base64"],
    ["a key in hexadecimal", { publicKey: "a501020326200121" }, "not a COSE key"],
    ["a key that is cut off", { publicKey: given.publicKey.slice(0, -4) }, "not a COSE key"],
    ["bytes after the key", { publicKey: `${given.publicKey}AAAA` }, "not a COSE key"],
    ["a key in PEM", { publicKey: Buffer.from("-----BEGIN PUBLIC KEY-----").toString("base64") }, "not a COSE key"],
    ["a symmetric key", { publicKey: toKey([1, 4], [3, 5], [-1, bytes(32)]) }, "not a COSE key"],
    [
      "a key of another curve",
      { publicKey: toKey([1, 2], [3, -7], [-1, 2], point, [-3, bytes(32)]) },
      "not a COSE key",
    ],
    ["half a point", { publicKey: toKey([1, 2], [3, -7], [-1, 1], point) }, "not a COSE key"],
    ["a label twice", { publicKey: toKey([1, 1], [3, -8], [-1, 6], point, point) }, "not a COSE key"],
    [
      "an RSA key of 1,024 bits",
      { publicKey: toKey([1, 3], [3, -257], [-1, bytes(128)], [-2, bytes(3)]) },
      "not a COSE",
    ],
    ["a negative counter", { counter: -1 }, "The counter of the passkey"],
    ["half a counter", { counter: 0.5 }, "The counter of the passkey"],
    ["a counter of 33 bits", { counter: 2 ** 32 }, "The counter of the passkey"],
    ["no counter", { counter: Number.NaN }, "The counter of the passkey"],
    ["a counter as text", { counter: "1" }, "The counter of the passkey"],
    ["another kind of device", { deviceType: "platform" }, "neither singleDevice nor multiDevice"],
    ["a backup of a single device", { isBackedUp: true }, "The passkey is backed up"],
  ])("refuses %s, without quoting it", (_, change, message) => {
    expect(() => make(change)).toThrow(message)
    expect(() => make(change)).not.toThrow(given.credentialId)
  })
})
