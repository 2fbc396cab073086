import { type CredentialKey, coseAlgs } from "./credential-key.js"
import { type Bytes, CborMap, type CborValue, encodeCbor, join, randomBytes, sha256 } from "./encoding.js"
import type { Attestation, AuthenticatorFlags } from "./webauthn-types.js"

interface AuthenticatorDataParts {
  readonly rpId: string
  readonly flags: AuthenticatorFlags
  readonly counter: number
  /** A credential that was just made; its key in CBOR. */
  readonly credential?: { readonly id: Bytes; readonly publicKey: Bytes }
}

const bits: Readonly<Record<keyof AuthenticatorFlags, number>> = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, ed: 0x80 }
const attested = 0x40
const aaguid = new Uint8Array(16)

/** WebAuthn level 3, section 6.1. */
export async function encodeAuthenticatorData(parts: AuthenticatorDataParts): Promise<Bytes> {
  const { rpId, flags, counter, credential } = parts
  const names = Object.keys(bits) as (keyof AuthenticatorFlags)[] // The keys of a literal record.
  const set = names.reduce((sum, name) => sum | (flags[name] ? bits[name] : 0), credential ? attested : 0)
  const hash = await sha256(new TextEncoder().encode(rpId))
  return join(hash, Uint8Array.of(set), toUint32(counter), ...(credential ? encodeCredential(credential) : []))
}

function encodeCredential({ id, publicKey }: { readonly id: Bytes; readonly publicKey: Bytes }): readonly Bytes[] {
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

/** WebAuthn level 3, section 6.5. */
export async function encodeAttestation(attestation: Attestation, parts: AttestedParts): Promise<Bytes> {
  const object = await makers[attestation](parts)
  return object instanceof Uint8Array ? object : encodeCbor(object)
}

type Maker = (parts: AttestedParts) => Promise<CborMap | Bytes>

const nothing = new CborMap([])

function toObject(fmt: string, statement: CborValue, authData: Bytes): CborMap {
  return new CborMap([
    ["fmt", fmt],
    ["attStmt", statement],
    ["authData", authData],
  ])
}

const sound: Maker = async ({ authData }) => toObject("none", nothing, authData)

async function signSelf({ key, authData, clientDataJson }: AttestedParts): Promise<Bytes> {
  return key.sign(join(authData, await sha256(clientDataJson)))
}

const makers: Readonly<Record<Attestation, Maker>> = {
  none: sound,
  packed: async (parts) => {
    const statement = new CborMap([
      ["alg", parts.key.alg],
      ["sig", await signSelf(parts)],
    ])
    return toObject("packed", statement, parts.authData)
  },
  "packed-bad-signature": async (parts) => {
    const signature = await signSelf(parts)
    const statement = new CborMap([
      ["alg", parts.key.alg],
      ["sig", signature.with(-1, (signature.at(-1) ?? 0) ^ 1)],
    ])
    return toObject("packed", statement, parts.authData)
  },
  "packed-other-algorithm": async (parts) => {
    const statement = new CborMap([
      ["alg", parts.key.alg === coseAlgs.RS256 ? coseAlgs.ES256 : coseAlgs.RS256],
      ["sig", await signSelf(parts)],
    ])
    return toObject("packed", statement, parts.authData)
  },
  "packed-certificate": async (parts) => {
    const certificates = [randomBytes(300)]
    const statement = new CborMap([
      ["alg", parts.key.alg],
      ["sig", await signSelf(parts)],
      ["x5c", certificates],
    ])
    return toObject("packed", statement, parts.authData)
  },
  "unknown-format": async ({ authData }) => toObject("homemade", nothing, authData),
  "none-with-statement": async ({ authData }) => toObject("none", new CborMap([["alg", -7]]), authData),
  "trailing-bytes": async (parts) => join(encodeCbor(await soundMap(parts)), Uint8Array.of(0)),
  "trailing-bytes-inside": async ({ authData }) => toObject("none", nothing, join(authData, Uint8Array.of(0))),
  "duplicate-keys": async (parts) => new CborMap([...(await soundMap(parts)).entries, ["fmt", "none"]]),
  "deeply-nested": async ({ authData }) => toObject("none", nest(200), authData),
  huge: async ({ authData }) => toObject("none", new CborMap([["padding", new Uint8Array(1024 * 1024)]]), authData),
}

async function soundMap({ authData }: AttestedParts): Promise<CborMap> {
  return toObject("none", nothing, authData)
}

function nest(depth: number): CborMap {
  return depth === 0 ? nothing : new CborMap([["x", nest(depth - 1)]])
}
