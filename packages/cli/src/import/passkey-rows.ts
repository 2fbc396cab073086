import type { AdapterAccount, AdapterAuthenticator } from "@latchkey/core/adapters"
import type { SourcePasskey } from "./records.js"

/** A passkey of a source that no sign-in here would accept. The message has no id and no key. */
export class PasskeyMistake extends Error {
  override readonly name = "PasskeyMistake"
}

/** Whose passkey it becomes. */
export interface PasskeyOwner {
  readonly userId: string
  /** The id of the app's provider of type `webauthn`. */
  readonly provider: string
}

/** A passkey as it is stored: its record, and the account by which its owner is found. */
export interface PasskeyRows {
  readonly passkey: AdapterAuthenticator
  readonly account: AdapterAccount
}

/**
 * Brings a passkey into the form in which passkeys are stored here. Its user handle is a value of the source, so that the
 * provider needs `acceptForeignUserHandles`, and the ID of the relying party has to stay.
 * @throws PasskeyMistake
 */
export function toPasskeyRows(given: SourcePasskey, { userId, provider }: PasskeyOwner): PasskeyRows {
  const credentialID = readBytes("ID", given.credentialId, maxIdBytes).toString("base64")
  const publicKey = readBytes("public key", given.publicKey, maxKeyBytes)
  assertKey(publicKey)
  const { counter, isBackedUp = false } = given
  const deviceType: unknown = given.deviceType ?? (isBackedUp ? "multiDevice" : "singleDevice")
  if (!Number.isInteger(counter) || counter < 0 || counter > maxCounter)
    throw new PasskeyMistake(`The counter of the passkey is not an integer from 0 to ${maxCounter}`)
  if (deviceType !== "singleDevice" && deviceType !== "multiDevice")
    throw new PasskeyMistake("The passkey is neither singleDevice nor multiDevice")
  if (isBackedUp && deviceType === "singleDevice")
    throw new PasskeyMistake("The passkey is backed up, although it is of a single device")
  const passkey = {
    credentialID,
    providerAccountId: credentialID,
    credentialPublicKey: publicKey.toString("base64"),
    counter,
    credentialDeviceType: deviceType,
    credentialBackedUp: isBackedUp,
    transports: toTransports(given.transports ?? []),
    userId,
    ...toNotes(given),
  }
  return { passkey, account: { userId, type: "webauthn", provider, providerAccountId: credentialID } }
}

/** WebAuthn level 3, sections 7.1 (size of the credential id) and 6.1.1 (signature counter). */
const maxIdBytes = 1023
const maxCounter = 2 ** 32 - 1
/** An RSA key of 8,192 bits has less, one of ML-DSA-87 has more. */
const maxKeyBytes = 4096

/** Base64 or base64url, with or without padding. What is cut off or has other characters would be another value. */
function readBytes(name: string, text: unknown, most: number): Buffer {
  const isText = typeof text === "string" && text.length <= most * 2 && /^[\w+/-]+={0,2}$/.test(text)
  const bytes = Buffer.from(isText ? text : "", "base64url")
  const plain = isText
    ? text
        .replace(/={1,2}$/, "")
        .replaceAll("+", "-")
        .replaceAll("/", "_")
    : ""
  if (bytes.length > 0 && bytes.length <= most && bytes.toString("base64url") === plain) return bytes
  throw new PasskeyMistake(`The ${name} of the passkey is not base64 or base64url of at most ${most} bytes`)
}

/** WebAuthn level 3, section 5.8.4: hints, so that others are left out. */
function toTransports(given: readonly unknown[]): string | null {
  const names = given.filter((name): name is string => typeof name === "string" && /^[a-z-]{1,32}$/.test(name))
  return names.length > 0 ? [...new Set(names)].slice(0, 8).join(",") : null
}

/** The longest name that the account area accepts. */
const maxNameLength = 60

function toNotes({ name, lastUsedAt }: SourcePasskey): Pick<AdapterAuthenticator, "name" | "lastUsedAt"> {
  const label = name
    ?.replace(/\p{Cc}/gu, " ")
    .trim()
    .slice(0, maxNameLength)
  return { ...(label && { name: label }), ...(lastUsedAt && { lastUsedAt }) }
}

/** Labels of a COSE key, RFC 9053 section 7. */
const labels = { kty: 1, alg: 3, curve: -1, x: -2, y: -3, modulus: -1, exponent: -2, pub: -1 } as const

/** The keys of the algorithms of RFC 9053: their type, their curve and the bytes of a coordinate. */
const curves: ReadonlyMap<number, readonly [kty: number, curve: number, size: number]> = new Map([
  [-7, [2, 1, 32]],
  [-35, [2, 2, 48]],
  [-36, [2, 3, 66]],
  [-8, [1, 6, 32]],
])
const rsaAlgorithms: readonly unknown[] = [-37, -38, -39, -257, -258, -259]
/** ML-DSA, by its draft. */
const latticeAlgorithms: readonly unknown[] = [-48, -49, -50]

/** @throws PasskeyMistake unless the bytes are the public key of a signature algorithm of passkeys */
function assertKey(bytes: Buffer): void {
  const key = readKey(bytes)
  const [kty, alg] = [key?.get(labels.kty), key?.get(labels.alg)]
  const shape = typeof alg === "number" ? curves.get(alg) : undefined
  const sizeOf = (label: number) => {
    const part = key?.get(label)
    return typeof part === "object" ? part.length : 0
  }
  const fitsCurve = () => {
    const [type, curve, size] = shape ?? []
    const isPoint = sizeOf(labels.x) === size && (type === 1 || sizeOf(labels.y) === size)
    return shape !== undefined && kty === type && key?.get(labels.curve) === curve && isPoint
  }
  const fitsRsa = () =>
    kty === 3 && rsaAlgorithms.includes(alg) && sizeOf(labels.modulus) >= 256 && sizeOf(labels.exponent) > 0
  const fitsLattice = () => kty === 7 && latticeAlgorithms.includes(alg) && sizeOf(labels.pub) > 0
  if (fitsCurve() || fitsRsa() || fitsLattice()) return
  throw new PasskeyMistake("The public key of the passkey is not a COSE key of an algorithm of passkeys")
}

/** A map of CBOR with small integers as keys, RFC 8949 section 3: its integers and its byte strings. Null for all else. */
function readKey(bytes: Buffer): ReadonlyMap<number, number | Buffer> | null {
  const [first = 0] = bytes
  const count = first & 31
  if (first >> 5 !== 5 || count > 16) return null
  const key = new Map<number, number | Buffer>()
  let at = 1
  for (let n = 0; n < count * 2; n += 2) {
    const label = readItem(bytes, at)
    const value = label && readItem(bytes, label.end)
    if (!value || typeof label.value !== "number" || key.has(label.value)) return null
    key.set(label.value, value.value)
    at = value.end
  }
  return at === bytes.length ? key : null
}

interface Item {
  readonly value: number | Buffer
  readonly end: number
}

function readItem(bytes: Buffer, at: number): Item | null {
  const first = bytes[at] ?? 0xff
  const [type, short] = [first >> 5, first & 31]
  // No number in a key has more than two bytes.
  if (short > 25) return null
  const length = short < 24 ? 0 : short - 23
  const start = at + 1 + length
  if (start > bytes.length) return null
  const argument = length === 0 ? short : bytes.readUIntBE(at + 1, length)
  if (type === 0) return { value: argument, end: start }
  if (type === 1) return { value: -1 - argument, end: start }
  const end = start + argument
  return type === 2 && end <= bytes.length ? { value: bytes.subarray(start, end), end } : null
}
