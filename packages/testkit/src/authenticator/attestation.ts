import { type Bytes, join, randomBytes, sha256 } from "./bytes.js"
import { CborMap, type CborValue, encodeCbor } from "./cbor.js"
import { type CredentialKey, coseAlgs } from "./credential-key.js"
import type { Attestation } from "./misbehaviour.js"

export interface AttestedParts {
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
