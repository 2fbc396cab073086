import { type CredentialKey, coseAlgs } from "./credential-key.js"
import { type Bytes, CborMap, type CborValue, encodeCbor, join, randomBytes, sha256 } from "./encoding.js"
import type { Attestation, AuthenticatorFlags } from "./webauthn-types.js"

interface AuthenticatorDataParts {
  readonly rpId: string
  readonly flags: AuthenticatorFlags
  readonly counter: number
  /** A new credential, with its public key as CBOR. */
  readonly credential?: AttestedCredential
}

interface AttestedCredential {
  readonly id: Bytes
  readonly publicKey: Bytes
  readonly aaguid: Bytes
}

const bits: Readonly<Record<keyof AuthenticatorFlags, number>> = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, ed: 0x80 }
const attestedCredentialData = 0x40

/** Encodes the authenticator data, WebAuthn Level 3 section 6.1. */
export async function encodeAuthenticatorData(parts: AuthenticatorDataParts): Promise<Bytes> {
  const { rpId, flags, counter, credential } = parts
  const names = Object.keys(bits) as (keyof AuthenticatorFlags)[] // as: the keys of the record
  const set = names.reduce((sum, name) => sum | (flags[name] ? bits[name] : 0), credential ? attestedCredentialData : 0)
  const hash = await sha256(new TextEncoder().encode(rpId))
  return join(hash, Uint8Array.of(set), toUint32(counter), ...(credential ? encodeCredential(credential) : []))
}

function encodeCredential({ id, publicKey, aaguid }: AttestedCredential): readonly Bytes[] {
  return [aaguid, Uint8Array.of(id.length >> 8, id.length & 0xff), id, publicKey]
}

function toUint32(value: number): Bytes {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

interface AttestedParts {
  readonly key: CredentialKey
  readonly authData: Bytes
  readonly clientDataJson: Bytes
}

/** Encodes the attestation object, WebAuthn Level 3 section 6.5. */
export async function encodeAttestation(attestation: Attestation, parts: AttestedParts): Promise<Bytes> {
  const object = await makers[attestation](parts)
  return object instanceof Uint8Array ? object : encodeCbor(object)
}

const emptyMap = new CborMap([])

const makers: Readonly<Record<Attestation, (parts: AttestedParts) => Promise<CborMap | Bytes>>> = {
  none: async ({ authData }) => toObject("none", emptyMap, authData),
  packed: (parts) => toPacked(parts),
  "packed-bad-signature": (parts) =>
    toPacked(parts, { change: (signature) => signature.with(-1, (signature.at(-1) ?? 0) ^ 1) }),
  "packed-other-algorithm": (parts) =>
    toPacked(parts, { alg: parts.key.alg === coseAlgs.RS256 ? coseAlgs.ES256 : coseAlgs.RS256 }),
  "packed-certificate": (parts) => toPacked(parts, { certificates: [randomBytes(300)] }),
  "unknown-format": async ({ authData }) => toObject("homemade", emptyMap, authData),
  "none-with-statement": async ({ authData }) => toObject("none", new CborMap([["alg", -7]]), authData),
  "trailing-bytes": async ({ authData }) => join(encodeCbor(toObject("none", emptyMap, authData)), Uint8Array.of(0)),
  "trailing-bytes-inside": async ({ authData }) => toObject("none", emptyMap, join(authData, Uint8Array.of(0))),
  "duplicate-keys": async ({ authData }) =>
    new CborMap([...toObject("none", emptyMap, authData).entries, ["fmt", "none"]]),
  "deeply-nested": async ({ authData }) => toObject("none", nest(200), authData),
  huge: async ({ authData }) => toObject("none", new CborMap([["padding", new Uint8Array(1024 * 1024)]]), authData),
}

function toObject(fmt: string, statement: CborValue, authData: Bytes): CborMap {
  return new CborMap([
    ["fmt", fmt],
    ["attStmt", statement],
    ["authData", authData],
  ])
}

interface PackedChanges {
  readonly alg?: number
  readonly change?: (signature: Bytes) => Bytes
  readonly certificates?: readonly Bytes[]
}

/** Self attestation: the credential's own key signs, WebAuthn Level 3 section 8.2. */
async function toPacked(
  { key, authData, clientDataJson }: AttestedParts,
  changes: PackedChanges = {},
): Promise<CborMap> {
  const { alg = key.alg, change = (signature) => signature, certificates } = changes
  const signature = await key.sign(join(authData, await sha256(clientDataJson)))
  const statement = new CborMap([
    ["alg", alg],
    ["sig", change(signature)],
    ...(certificates ? ([["x5c", certificates]] as const) : []),
  ])
  return toObject("packed", statement, authData)
}

function nest(depth: number): CborMap {
  return depth === 0 ? emptyMap : new CborMap([["x", nest(depth - 1)]])
}
