import { softwareAuthenticator } from "@latchkey/testkit"
import * as helpers from "@simplewebauthn/server/helpers"
import type { RedeemedChallenge } from "../../../src/checks/challenge.js"
import { fromBase64url, toBase64url } from "../../../src/crypto/encoding.js"
import { AuthError } from "../../../src/errors/auth-error.js"
import { WebAuthnVerificationError } from "../../../src/errors/errors.js"
import { verifyAuthentication } from "../../../src/methods/webauthn/authenticate.js"
import { parseClientData } from "../../../src/methods/webauthn/ceremony.js"
import { loadLibrary } from "../../../src/methods/webauthn/library.js"
import { verifyRegistration } from "../../../src/methods/webauthn/register.js"
import {
  assertSingleItem,
  isDerSignature,
  parseAuthenticatorData,
} from "../../../src/methods/webauthn/strict-encoding.js"
import Passkey from "../../../src/providers/passkey.js"
import type { AdapterAuthenticator } from "../../../src/types/adapter.js"
import { type FuzzTarget, fromText, promise } from "../engine/target.js"

const challenge = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
const party = { id: "app.test", name: "App", ids: ["app.test"], origins: ["https://app.test"] }
const provider = Passkey({})
const redeemed: RedeemedChallenge = { challenge, action: "authenticate", cookies: [] }
const device = softwareAuthenticator({ flags: { ed: false } })
const library = await loadLibrary()

const made = await device.create({
  challenge,
  rp: { id: "app.test", name: "App" },
  user: { id: "dS12", name: "v", displayName: "V" },
  pubKeyCredParams: [{ type: "public-key", alg: -7 }],
})
const signed = await device.get({ challenge, rpId: "app.test" })

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return fromBase64url(base64url) ?? new Uint8Array()
}

function isRefused(run: () => unknown): boolean {
  try {
    run()
    return false
  } catch (error) {
    if (error instanceof WebAuthnVerificationError) return true
    throw error
  }
}

const attestation = bytesOf(made.response.attestationObject)
const assertionData = bytesOf(signed.response.authenticatorData)
const registrationData = new Uint8Array(helpers.decodeAttestationObject(attestation.slice()).get("authData"))
const cborWords = [
  "\u0001\u0002\u0003",
  "fmt",
  "none",
  "packed",
  "attStmt",
  "authData",
  "x5c",
  "sig",
  "alg",
  "\u007f",
  "\u001f",
]

/** One more than the limit of the service, which counts from 0. */
const maxLevels = 9

function levelsOf(value: unknown): number {
  if (!Array.isArray(value) && !(value instanceof Map)) return 0
  return 1 + [...value.values()].reduce<number>((most, item) => Math.max(most, levelsOf(item)), 0)
}

/** CBOR, as authenticators write it. */
export const cbor: FuzzTarget = {
  name: "cbor",
  seeds: () => [
    attestation,
    Uint8Array.from([...Array(9).fill(0x81), 0x80]),
    Uint8Array.from([...Array(8).fill(0x81), 0x80]),
    Uint8Array.of(0xa2, 1, 2, 0x20, 0x41, 0),
    Uint8Array.of(0x84, 0x18, 0x18, 0xf6, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0, 0x61, 0x61),
  ],
  dictionary: cborWords,
  work: { perByte: 60, perInput: 3_000 },
  check(input) {
    if (isRefused(() => assertSingleItem(input))) return
    promise(levelsOf(decode(input)) <= maxLevels, "accepted CBOR is shallow")
  },
}

/** Decoded by the library, which may reject more. */
function decode(input: Uint8Array): unknown {
  try {
    return helpers.isoCBOR.decodeFirst<unknown>(input.slice())
  } catch (error) {
    promise(error instanceof Error && !(error instanceof RangeError), "the decoder does not run out of stack or memory")
    return null
  }
}

/** Authenticator data. */
export const authenticatorData: FuzzTarget = {
  name: "authenticator-data",
  seeds: () => [assertionData, registrationData],
  dictionary: cborWords,
  work: { perByte: 60, perInput: 3_000 },
  check(input) {
    const bytes = input.slice()
    if (isRefused(() => parseAuthenticatorData(bytes))) return
    const ours = parseAuthenticatorData(bytes)
    promise(ours.credential === null || ours.credential.id.length <= 1_023, "a credential id is short")
    let theirs: ReturnType<typeof helpers.parseAuthenticatorData>
    try {
      theirs = helpers.parseAuthenticatorData(bytes.slice())
    } catch {
      return // The library rejects it during verification as well.
    }
    promise(theirs.counter === ours.counter, "both parsers read the same counter")
    promise(
      theirs.flags.be === ours.isBackupEligible && theirs.flags.bs === ours.isBackedUp,
      "both parsers read the same flags",
    )
    promise(
      toBase64url(new Uint8Array(theirs.credentialID ?? [])) === toBase64url(ours.credential?.id ?? new Uint8Array()),
      "both parsers read the same credential",
    )
  },
}

/** A registration, from the attestation to the stored credential. */
export const registrations: FuzzTarget = {
  name: "registrations",
  seeds: () => [attestation],
  dictionary: cborWords,
  work: { perByte: 60, perInput: 6_000 },
  async check(input) {
    const response = {
      id: made.id,
      clientDataJSON: made.response.clientDataJSON,
      attestationObject: toBase64url(input.slice()),
      transports: [],
    }
    try {
      const { newCredential } = await verifyRegistration(
        { response, redeemed: { ...redeemed, action: "register" }, party, provider },
        library,
      )
      promise(
        newCredential.credentialID !== "" && newCredential.credentialPublicKey !== "",
        "a credential has an id and a key",
      )
    } catch (error) {
      if (!(error instanceof WebAuthnVerificationError)) throw error
    }
  },
}

const stored: AdapterAuthenticator = {
  credentialID: "stored",
  providerAccountId: "stored",
  userId: "u-v",
  credentialPublicKey: Buffer.from((await credentialOf()).publicKey).toString("base64"),
  counter: 0,
  credentialDeviceType: "multiDevice",
  credentialBackedUp: true,
  transports: null,
}

async function credentialOf(): Promise<{ readonly publicKey: Uint8Array }> {
  const { credential } = parseAuthenticatorData(registrationData)
  if (!credential) throw new Error("The software authenticator returned no credential")
  return credential
}

/** The lengths of client data and authenticator data, then both, then the signature. */
function pack(...[client, data, signature]: readonly [Uint8Array, Uint8Array, Uint8Array]): Uint8Array {
  return Uint8Array.from([client.length, data.length, ...client, ...data, ...signature])
}

const clientData = bytesOf(signed.response.clientDataJSON)

/** A sign-in with a stored credential. */
export const assertions: FuzzTarget = {
  name: "assertions",
  seeds: () => [pack(clientData, assertionData, bytesOf(signed.response.signature))],
  dictionary: [
    ...cborWords,
    "0D\u0002 ",
    "\u0002\u0001\u0000",
    "https://evil.test",
    "webauthn.create",
    '"crossOrigin":true',
  ],
  maxLength: 1_024,
  work: { perByte: 60, perInput: 6_000 },
  async check(input) {
    const [clientLength = 0, dataLength = 0] = input
    const client = input.slice(2, 2 + clientLength)
    const authData = input.slice(2 + clientLength, 2 + clientLength + dataLength)
    const signature = input.slice(2 + clientLength + dataLength)
    const response = {
      id: signed.id,
      clientDataJSON: toBase64url(client),
      authenticatorData: toBase64url(authData),
      signature: toBase64url(signature),
      userHandle: undefined,
    }
    try {
      parseClientData(response.clientDataJSON)
      await verifyAuthentication({ response, stored, redeemed, party, provider }, library)
      promise(toBase64url(client) === signed.response.clientDataJSON, "changed client data does not sign in")
      promise(
        toBase64url(authData) === signed.response.authenticatorData,
        "changed authenticator data does not sign in",
      )
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
    }
  },
}

/** An ECDSA signature, which has one valid encoding. */
export const signatures: FuzzTarget = {
  name: "signatures",
  seeds: () => [
    bytesOf(signed.response.signature),
    Uint8Array.of(0x30, 6, 2, 1, 1, 2, 1, 1),
    fromText("0\u0006\u0002\u0001\u0001\u0002\u0001\u0001"),
  ],
  dictionary: ["0\u0006", "\u0002\u0001", "\u0000", "\u0002\u0002\u0000"],
  maxLength: 300,
  work: { perByte: 20, perInput: 1_000 },
  check(input) {
    if (!isDerSignature(input)) return
    const start = input[1] === 0x81 ? 3 : 2
    const first = start + 2 + (input[start + 1] ?? 0)
    const integers = [input.slice(start + 2, first), input.slice(first + 2)]
    const rewritten = integers.flatMap((bytes) => [2, bytes.length, ...bytes])
    const head = rewritten.length > 127 ? [0x30, 0x81, rewritten.length] : [0x30, rewritten.length]
    promise([...head, ...rewritten].join() === input.join(), "a signature has one encoding")
    for (const bytes of integers) promise((bytes[0] ?? 255) < 128, "its integers are positive")
  },
}
